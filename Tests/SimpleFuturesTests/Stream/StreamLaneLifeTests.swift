import Foundation
import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("A mailbox during delivery", .watchdog)
struct StreamLaneLifeTests {
    private final class Observed: Sendable {
        nonisolated(unsafe) weak var lane: StreamLane?
        let stream = FutureStream<Int>(capacity: 0)

        var hasLanes: Bool { stream.core.withState { !$0.allLanes.isEmpty } }

        func observe() { lane = stream.core.withState { $0.allLanes.first } }
    }

    @Test func `is kept as long as a callback waits, even if its last subscriber is removed`() async {
        let observed = Observed()
        let token = CancelToken()
        let hasBegun = Signal()
        let goesOn = Promise<Void>()
        observed.stream.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in
            hasBegun.open()
            try? goesOn.future.wait()
        }
        observed.observe()
        #expect(observed.lane != nil)
        async let emitted: Void = onThread { observed.stream.success(1) }
        await onThread {
            #expect(hasBegun.pass())
            token.cancel()
            while observed.hasLanes { sched_yield() }
            #expect(observed.lane != nil)
            goesOn.success()
        }
        await emitted
        #expect(observed.lane == nil)
    }
}
