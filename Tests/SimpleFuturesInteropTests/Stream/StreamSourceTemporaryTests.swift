import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A stream that nobody keeps, whose source belongs to an actor", .watchdog)
struct StreamSourceTemporaryTests {
    @Test func `it is kept for its listeners until the actor gets round to the start`() async {
        await #expect(processExitsWith: .exitCode(7)) { @MainActor in
            let elements = Tally()
            let kept = Box<StreamEmitter<Int>?>(nil)
            let make = {
                FutureStream<Int>(
                    capacity: 0,
                    isolated: { emitter in
                        kept.value = emitter
                        emitter.success(1)
                        return CancelAction {}
                    })
            }
            make().onSuccess(context: ImmediateContext()) { _ in elements.add() }
            for _ in 0..<3 { await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } } }
            exit(elements.count == 1 ? 7 : 1)
        }
    }
}
