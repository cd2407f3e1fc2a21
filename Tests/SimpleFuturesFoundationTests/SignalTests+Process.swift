import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

extension SignalTests {
    @Test func `a callback that waits keeps no other stream waiting`() async {
        let gate = Gate()
        let token = CancelToken()
        let blocked = Box(0)
        FutureStream.signals(SIGUSR1, cancelToken: token).onSuccess(context: ImmediateContext()) { _ in
            gate.pass()
            blocked.change { $0 += 1 }
        }
        listen(to: .signals(SIGUSR1, cancelToken: token))
        kill(getpid(), SIGUSR1)
        await until { heard.value.count == 1 }
        #expect(blocked.value == 0)
        gate.open()
        await until { blocked.value == 1 }
        token.cancel()
    }

    @Test func `a signal leaves errno alone, wherever it strikes`() async {
        let token = CancelToken()
        listen(to: .signals(SIGUSR1, cancelToken: token))
        let kept = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
            Thread.detachNewThread {
                // The threads of the pool have signals blocked.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGUSR1)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                errno = EDOM
                pthread_kill(pthread_self(), SIGUSR1)
                done.resume(returning: errno == EDOM)
            }
        }
        #expect(kept)
        await until { !heard.value.isEmpty }
        token.cancel()
    }

    @Test(arguments: [SIGKILL, SIGSTOP, 0, -1, 1_000])
    func `what cannot be caught ends the program`(_ signal: Int32) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [signal] in
            _ = FutureStream.signals(signal)
        }
        expect(result, toSay: "`FutureStream.signals` was given the signal \(signal)", "cannot be caught", "`SIGINT`")
    }

    @Test func `no signal at all ends the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream.signals()
        }
        expect(result, toSay: "`FutureStream.signals` was given no signal", "Pass at least one")
    }

    @Test func `a signal that nobody listens to any more does what it does`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let token = CancelToken()
            let count = Box(0)
            FutureStream.signals(SIGTERM, cancelToken: token)
                .onSuccess(context: ImmediateContext()) { _ in count.change { $0 += 1 } }
            kill(getpid(), SIGTERM)
            while count.value == 0 { await Task.yield() }
            token.cancel()
            kill(getpid(), SIGTERM)
            while true { try await Task.sleep(for: .seconds(1)) }
        }
    }
}
