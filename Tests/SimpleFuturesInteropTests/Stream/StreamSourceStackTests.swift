import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The stack that a stream's source needs", .watchdog)
struct StreamSourceStackTests {
    @Test func `a source that makes its listeners come and go needs no stack`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let own = Box<FutureStream<Int>?>(nil)
            let token = Box(CancelToken())
            let rounds = Tally()
            let count = Stress.factor > 1 ? 100_000 : 10_000
            let listen: @Sendable () -> Void = {
                token.value = CancelToken()
                own.value?.onSuccess(context: ImmediateContext(), cancelToken: token.value) { _ in }
            }
            own.value = FutureStream(capacity: 0) { emitter in
                token.value.cancel()
                return CancelAction {
                    withExtendedLifetime(emitter) {}
                    rounds.add()
                    if rounds.count < count { listen() }
                }
            }
            let thread = Thread {
                listen()
                exit(rounds.count == count ? 7 : 1)
            }
            thread.stackSize = 512 * 1_024
            thread.start()
            while true { sleep(1) }
        }
    }
}
