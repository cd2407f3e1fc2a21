import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Signals and their handlers belong to the process: one test at a time.

@Suite("Signals as a stream", .serialized, .watchdog)
struct SignalTests {
    private let heard = Box<[Int32]>([])

    private func listen(to stream: FutureStream<Int32>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: immediate, cancelToken: cancelToken) { [heard] in heard.append($0) }
    }

    @Test func `a signal arrives as often as it is sent and handled`() async {
        let token = CancelToken()
        listen(to: .signals(SIGUSR1, SIGUSR2, cancelToken: token))
        for (count, signal) in [SIGUSR1, SIGUSR2, SIGUSR1].enumerated() {
            kill(getpid(), signal)
            await until { heard.value.count == count + 1 }
        }
        #expect(heard.value == [SIGUSR1, SIGUSR2, SIGUSR1])
        token.cancel()
    }

    @Test func `a signal is not lost behind many others`() async {
        await #expect(processExitsWith: .success) {
            let (terminated, token) = (Box(0), CancelToken())
            // Handling a signal takes the reader longer than the handler, so the pipe between them fills up.
            for _ in 0..<100 {
                FutureStream.signals(SIGUSR1, cancelToken: token).onSuccess(context: immediate) { _ in }
            }
            FutureStream.signals(SIGTERM, cancelToken: token)
                .onSuccess(context: immediate) { _ in terminated.increment() }
            #if os(Linux)
            // The smallest pipe; with F_SETPIPE_SZ, which is not visible to Swift in the headers.
            for descriptor in 3..<Int32(64) { _ = fcntl(descriptor, 1031, 4_096) }
            #endif
            await onThread {
                letIn(SIGUSR1, SIGTERM)
                for _ in 0..<20_000 { pthread_kill(pthread_self(), SIGUSR1) }
                pthread_kill(pthread_self(), SIGTERM)
            }
            await until { terminated.value == 1 }
            token.cancel()
        }
    }

    @Test func `a signal is caught while there are subscribers, until the token is canceled`() async {
        await expectLifetime(sources: { Effect(of: SIGUSR1) == .caught ? 1 : 0 }) { capacity, token in
            .signals(SIGUSR1, capacity: capacity, cancelToken: token)
        }
        #expect(Effect(of: SIGUSR1) == .standard)
    }

    @Test func `several streams can share one signal, and its effect returns when the last one has ended`() async {
        let tokens = (0..<3).map { _ in CancelToken() }
        let counts = (0..<3).map { _ in Box(0) }
        for (token, count) in zip(tokens, counts) {
            FutureStream.signals(SIGUSR1, cancelToken: token).onSuccess(context: immediate) { _ in count.increment() }
        }
        for left in 0..<3 {
            kill(getpid(), SIGUSR1)
            await until { counts[left...].allSatisfy { $0.value == left + 1 } }
            // The first streams have ended, each after one signal more.
            #expect(counts.map { $0.value } == (0..<3).map { min($0, left) + 1 })
            #expect(Effect(of: SIGUSR1) == .caught)
            tokens[left].cancel()
        }
        #expect(Effect(of: SIGUSR1) == .standard)
    }

    @Test func `streams that share some signals restore each effect in time`() {
        let (first, second) = (CancelToken(), CancelToken())
        listen(to: .signals(SIGUSR1, SIGUSR2, cancelToken: first))
        listen(to: .signals(SIGUSR2, SIGUSR2, SIGWINCH, cancelToken: second))
        first.cancel()
        #expect([SIGUSR1, SIGUSR2, SIGWINCH].map(Effect.init) == [.standard, .caught, .caught])
        second.cancel()
        #expect([SIGUSR1, SIGUSR2, SIGWINCH].map(Effect.init) == [.standard, .standard, .standard])
    }

    @Test(arguments: [Effect.ignored, .own])
    func `the program's own handler is restored`(chosen: Effect) {
        chosen.set(for: SIGUSR1)
        defer { Effect.standard.set(for: SIGUSR1) }
        let token = CancelToken()
        listen(to: .signals(SIGUSR1, cancelToken: token))
        #expect(Effect(of: SIGUSR1) == .caught)
        token.cancel()
        #expect(Effect(of: SIGUSR1) == chosen)
    }

    @Test func `a signal that is no longer caught has its normal effect`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let (token, count) = (CancelToken(), Box(0))
            FutureStream.signals(SIGTERM, cancelToken: token).onSuccess(context: immediate) { _ in count.increment() }
            kill(getpid(), SIGTERM)
            await until { count.value == 1 }
            token.cancel()
            kill(getpid(), SIGTERM)
            while true { try await Task.sleep(for: .seconds(1)) }
        }
    }

    @Test func `a callback can unsubscribe, and subscribe again`() async {
        let (stream, first, second) = (FutureStream.signals(SIGUSR1), CancelToken(), CancelToken())
        let (heard, effects) = (heard, Box<[Effect]>([]))
        stream.onSuccess(context: immediate, cancelToken: first) { signal in
            first.cancel()
            effects.append(Effect(of: SIGUSR1))
            stream.onSuccess(context: immediate, cancelToken: second) { heard.append($0) }
            effects.append(Effect(of: SIGUSR1))
            heard.append(signal)
        }
        kill(getpid(), SIGUSR1)
        await until { heard.value.count == 1 }
        #expect(effects.value == [.standard, .caught])
        kill(getpid(), SIGUSR1)
        await until { heard.value.count == 2 }
        second.cancel()
        #expect(Effect(of: SIGUSR1) == .standard)
    }

    @Test func `a thousand ended subscriptions leave nothing behind`() async {
        let stream = FutureStream.signals(SIGUSR1, SIGUSR2)
        let cycle = {
            let token = CancelToken()
            listen(to: stream, cancelToken: token)
            token.cancel()
        }
        cycle()
        let before = openDescriptors().count
        for _ in 0..<1_000 { cycle() }
        // Other tests open and close some in the meantime.
        await until { openDescriptors().count < before + 100 }
        #expect(Effect(of: SIGUSR1) == .standard)
        listen(to: stream)
        kill(getpid(), SIGUSR2)
        await until { heard.value == [SIGUSR2] }
        stream.finish()
        #expect(Effect(of: SIGUSR2) == .standard)
    }

    @Test func `subscribing on several threads leaves the effect unchanged`() async {
        let streams = [FutureStream.signals(SIGUSR1), .signals(SIGUSR1, SIGUSR2)]
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        let token = CancelToken()
                        listen(to: streams[thread % 2], cancelToken: token)
                        #expect(Effect(of: SIGUSR1) != .own)
                        token.cancel()
                    }
                }
            }
        }
        #expect(Effect(of: SIGUSR1) == .standard && Effect(of: SIGUSR2) == .standard)
    }

    @Test func `a blocking callback does not delay other streams`() async {
        let (gate, token, blocked) = (Gate(), CancelToken(), Box(0))
        FutureStream.signals(SIGUSR1, cancelToken: token).onSuccess(context: immediate) { _ in
            gate.pass()
            blocked.increment()
        }
        listen(to: .signals(SIGUSR1, cancelToken: token))
        kill(getpid(), SIGUSR1)
        await until { heard.value.count == 1 }
        #expect(blocked.value == 0)
        gate.open()
        await until { blocked.value == 1 }
        token.cancel()
    }

    @Test func `a signal does not change the errno of the thread that receives it`() async {
        let token = CancelToken()
        listen(to: .signals(SIGUSR1, cancelToken: token))
        let kept = onSmallStack {
            letIn(SIGUSR1)
            errno = EDOM
            pthread_kill(pthread_self(), SIGUSR1)
            return errno == EDOM
        }
        #expect(kept)
        await until { !heard.value.isEmpty }
        token.cancel()
    }

    @Test(arguments: [SIGKILL, SIGSTOP, 0, -1, 1_000])
    func `a signal that cannot be caught stops the program with a message`(_ signal: Int32) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [signal] in
            _ = FutureStream.signals(signal)
        }
        expect(result, toSay: "`FutureStream.signals` was given the signal \(signal)", "cannot catch", "`SIGINT`")
    }

    @Test func `a call without signals stops the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream.signals()
        }
        expect(result, toSay: "`FutureStream.signals` was given no signal", "Pass at least one")
    }
}

/// Unblocks signals on this thread: Dispatch threads block them, and so do threads that they create.
private func letIn(_ numbers: Int32...) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}
