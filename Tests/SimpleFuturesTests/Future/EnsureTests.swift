import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future: ensure, compactMap", .watchdog)
struct EnsureTests {
    @Test(arguments: Source.Ending.allCases, [false, true])
    func `ensure runs for every end of the future, before the new one ends`(ending: Source.Ending, isManual: Bool) {
        let (source, log, manual) = (Source(), Log<String>(), ManualContext())
        let derived = source.future.ensure(context: isManual ? manual : immediate) { log.add("clean up") }
        derived.onComplete(context: immediate) { _ in log.add("completed") }
        derived.onCancel(context: immediate) { log.add("canceled") }
        source.end(ending)
        if isManual {
            #expect(log.all == [])
            manual.run()
        }
        #expect(log.all == ["clean up", ending == .cancellation ? "canceled" : "completed"])
        #expect(derived.ended == ending.passedOn(success: .success(1)))
    }

    @Test func `ensure runs even if the new future has no holders or waiters`() {
        let (future, log) = (Future<Int>(), Log<String>())
        _ = future.ensure(context: immediate) { log.add("clean up") }
        future.success(1)
        #expect(log.all == ["clean up"])
    }

    @Test func `the new future of ensure is broken by a context that drops its closure`() {
        var context: ManualContext? = ManualContext()
        let derived = Future(value: 1).ensure(context: context ?? ManualContext()) {}
        context = nil
        #expect(derived.ended == .broken)
    }

    @Test func `compactMap fails if the closure returns nil`() {
        #expect(Future(value: "7").compactMap(context: immediate) { Int($0) }.ended == .success(7))
        let nothing = Future(value: "x").compactMap(context: immediate) { Int($0) }
        #expect(nothing.ended == .failure(FuturesError.noSuchElement))
    }
}
