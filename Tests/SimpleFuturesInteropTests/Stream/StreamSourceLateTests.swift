import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("What comes late of a stream's source", .watchdog)
struct StreamSourceLateTests {
    @Test func `no element of a run that was stopped reaches those who came after`() async {
        for _ in 0..<Stress.rounds(50) {
            let valve = Valve()
            let stream = valve.stream()
            let isOver = Box(false)
            let errors = Tally()
            await concurrently(2) { thread in
                if thread == 0 {
                    // Emits the number of the run.
                    while !isOver.value { valve.emitRun() }
                } else {
                    for _ in 0..<200 {
                        let token = CancelToken()
                        let run = valve.starts.count + 1
                        stream.onSuccess(context: ImmediateContext(), cancelToken: token) { number in
                            if number != run { errors.add() }
                        }
                        token.cancel()
                    }
                    isOver.value = true
                }
            }
            #expect(errors.count == 0)
            #expect(valve.errors.count == 0)
        }
    }
}
