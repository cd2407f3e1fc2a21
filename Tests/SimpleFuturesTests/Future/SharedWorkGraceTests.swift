import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Shared work that ends while no caller waits for it", .watchdog)
struct SharedWorkGraceTests {
    private let promises = Log<Promise<Int>>()
    private let tokens = Log<CancelToken>()
    private let clock = ManualContext()

    private func makeWork(keeping lifetime: Duration?) -> SharedWork<Int, Int> {
        SharedWork(
            keepingResultsFor: lifetime, gracePeriod: .seconds(2), context: clock
        ) { [promises, tokens] _, token in
            let promise = Promise<Int>()
            promises.add(promise)
            tokens.add(token)
            return promise.future
        }
    }

    @Test func `a failure is not kept for the rest of the grace period`() {
        let work = makeWork(keeping: nil)
        _ = work.future(for: 1)
        promises.all[0].failure(Oops.source)
        #expect(work.count == 0 && clock.timerCount == 0)
        let next = work.future(for: 1)
        #expect(promises.count == 2)
        promises.all.last?.success(2)
        #expect(next.ended == .success(2))
    }

    @Test func `nor is a value that is not to be kept`() {
        let work = makeWork(keeping: .zero)
        _ = work.future(for: 1)
        promises.all[0].success(1)
        #expect(work.count == 0 && clock.timerCount == 0)
        #expect(work.future(for: 1).ended == .pending)
        #expect(promises.count == 2)
    }

    @Test func `a value is kept from then on, as long as asked`() {
        let work = makeWork(keeping: .seconds(10))
        _ = work.future(for: 1)
        clock.advance(by: .seconds(1))
        promises.all[0].success(1)
        #expect(clock.timerCount == 1)
        clock.advance(by: .seconds(9))
        #expect(work.future(for: 1).ended == .success(1))
        #expect(!tokens.all[0].isCancelled)
        clock.advance(by: .seconds(1))
        #expect(work.count == 0 && clock.timerCount == 0)
        #expect(promises.count == 1)
    }

    @Test func `callers that come and go leave nothing behind`() {
        let work = makeWork(keeping: nil)
        for _ in 0..<100 { _ = work.future(for: 1) }
        #expect(promises.all[0].future.observerCount <= 1)
        promises.all[0].success(1)
        #expect(work.future(for: 1).ended == .success(1))
        #expect(promises.count == 1 && clock.timerCount == 0)
    }

    @Test func `work of a source that is cancelled or broken starts anew`() {
        let work = makeWork(keeping: nil)
        _ = work.future(for: 1)
        promises.all[0].future.cancelAsTarget()
        #expect(work.count == 0 && clock.timerCount == 0)
        _ = work.future(for: 1)
        #expect(promises.count == 2)
    }

    @Test func `under a token that is cancelled already no work is started`() {
        let work = makeWork(keeping: nil)
        let token = CancelToken()
        token.cancel()
        #expect(work.future(for: 1, cancelToken: token).ended == .cancelled)
        #expect(promises.count == 0 && work.count == 0)
    }

    @Test func `threads that come, go and complete agree on the end`() async {
        for round in 0..<Stress.rounds(200) {
            let (promises, tokens) = (Log<Promise<Int>>(), Log<CancelToken>())
            let work = SharedWork<Int, Int>(
                keepingResultsFor: nil, gracePeriod: .seconds(1_000), context: clock
            ) { _, token in
                let promise = Promise<Int>()
                promises.add(promise)
                tokens.add(token)
                return promise.future
            }
            _ = work.future(for: 1)
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { for _ in 0..<5 { _ = work.future(for: 1) } } }
                group.addTask { promises.all[0].success(round) }
            }
            #expect(work.future(for: 1).ended == .success(round))
            #expect(promises.count == 1 && !tokens.all[0].isCancelled && clock.timerCount == 0)
        }
    }
}
