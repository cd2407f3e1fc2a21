import SimpleFutures
import Testing
@testable import TestSupport

/// The grace period, in which no caller waits.
extension SharedWorkTests {
    @Test func `a call in the grace period joins the running work`() {
        let work = makeWork(grace: .seconds(2))
        _ = work.future(for: "a")
        clock.advance(by: .seconds(1))
        var again: Future<Int>? = work.future(for: "a")
        #expect(server.calls.count == 1)
        clock.advance(by: .seconds(5))
        #expect(!server.calls.all[0].token.isCancelled)
        #expect(again?.ended == .pending)
        again = nil
        clock.advance(by: .milliseconds(1_999))
        #expect(!server.calls.all[0].token.isCancelled)
        clock.advance(by: .milliseconds(1))
        #expect(server.calls.all[0].token.isCancelled)
        #expect(work.count == 0 && clock.timerCount == 0)
        #expect(server.calls.all[0].promise.future.observerCount == 0)
    }

    @Test func `a call that finds the work ended inside the same callback frees the timer of the grace period`() {
        let work = makeWork(grace: .seconds(2))
        _ = work.future(for: "a")
        let again = Box<Future<Int>?>(nil)
        Future(value: ()).onSuccess(context: immediate) { [server] in
            server.calls.all[0].promise.failure(Failure())
            again.value = work.future(for: "a")
        }
        #expect(server.calls.count == 2)
        #expect(again.value?.ended == .pending)
        #expect(clock.timerCount == 0)
    }

    @Test func `a timer that its context does not cancel ends neither a call nor a later grace period`() {
        let work = makeWork(on: Uncancelable(clock: clock))
        _ = work.future(for: "a")
        clock.advance(by: .seconds(1))
        var again: Future<Int>? = work.future(for: "a")
        clock.advance(by: .seconds(1))
        #expect(again?.ended == .pending && !server.calls.all[0].token.isCancelled)
        again = nil
        clock.advance(by: .seconds(1))
        _ = work.future(for: "a")
        clock.advance(by: .seconds(1))
        #expect(!server.calls.all[0].token.isCancelled)
        clock.advance(by: .seconds(1))
        #expect(server.calls.all[0].token.isCancelled)
    }

    @Test func `a timer that its context does not cancel removes no value`() {
        let work = makeWork(on: Uncancelable(clock: clock))
        _ = work.future(for: "a")
        server.calls.all[0].promise.success(1)
        clock.advance(by: .seconds(2))
        #expect(work.count == 1)
    }

    private func makeWork(on context: Uncancelable) -> SharedWork<String, Int> {
        SharedWork(keepingResultsFor: nil, gracePeriod: .seconds(2), context: context) { [server] in
            server.load($0, $1)
        }
    }

    @Test func `callers that come and go leave nothing behind, and a later one gets the value`() {
        let work = makeWork(keeping: nil, grace: .seconds(2))
        for _ in 0..<100 { _ = work.future(for: "a") }
        #expect(server.calls.all[0].promise.future.observerCount <= 1)
        server.calls.all[0].promise.success(1)
        for _ in 0..<2 { #expect(work.future(for: "a").ended == .success(1)) }
        #expect(server.calls.count == 1 && clock.timerCount == 0)
    }

    @Test func `a value is kept from its arrival in the grace period on, as long as asked`() {
        let work = makeWork(keeping: .seconds(10), grace: .seconds(2))
        _ = work.future(for: "a")
        clock.advance(by: .seconds(1))
        server.calls.all[0].promise.success(1)
        #expect(clock.timerCount == 1)
        clock.advance(by: .seconds(9))
        #expect(work.future(for: "a").ended == .success(1))
        #expect(!server.calls.all[0].token.isCancelled)
        clock.advance(by: .seconds(1))
        #expect(work.count == 0 && clock.timerCount == 0)
        #expect(server.calls.count == 1)
    }

    @Test func `a value is kept if the last caller leaves after the end of the work, but before it has the value`() {
        let work = makeWork(keeping: nil, grace: .seconds(2))
        _ = work.future(for: "a")
        let (promise, again) = (server.calls.all[0].promise, Box<Future<Int>?>(nil))
        promise.future.onSuccess(context: immediate) { _ in again.value = nil }
        again.value = work.future(for: "a")
        promise.success(1)
        #expect(clock.timerCount == 0)
        clock.advance(by: .seconds(2))
        #expect(work.future(for: "a").ended == .success(1))
        #expect(server.calls.count == 1)
    }

    enum Unkept: CaseIterable, Sendable { case failure, cancellation, valueThatIsNotToBeKept }

    @Test(arguments: Unkept.allCases)
    func `what is not to be kept ends the grace period, and work starts anew`(_ end: Unkept) {
        let work = makeWork(keeping: end == .valueThatIsNotToBeKept ? .zero : nil, grace: .seconds(2))
        _ = work.future(for: "a")
        let promise = server.calls.all[0].promise
        switch end {
        case .failure: promise.failure(Oops.source)
        case .cancellation: promise.future.cancelAsTarget()
        case .valueThatIsNotToBeKept: promise.success(1)
        }
        #expect(work.count == 0 && clock.timerCount == 0)
        let next = work.future(for: "a")
        #expect(next.ended == .pending)
        #expect(server.calls.count == 2)
        server.calls.all[1].promise.success(2)
        #expect(next.ended == .success(2))
    }

    @Test func `threads that come, go and complete agree on the end`() async {
        for round in 0..<Stress.rounds(200) {
            let server = Server()
            let work = SharedWork<String, Int>(
                keepingResultsFor: nil, gracePeriod: .seconds(1_000), context: clock
            ) { server.load($0, $1) }
            _ = work.future(for: "a")
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { for _ in 0..<5 { _ = work.future(for: "a") } } }
                group.addTask { server.calls.all[0].promise.success(round) }
            }
            #expect(work.future(for: "a").ended == .success(round))
            #expect(server.calls.count == 1 && !server.calls.all[0].token.isCancelled && clock.timerCount == 0)
        }
    }

    @Test func `a value that is forgotten while the timer of its lifetime is started leaves no timer`() {
        let work = Box<SharedWork<String, Int>?>(nil)
        defer { work.value = nil }
        let context = Interrupted(clock: clock) { work.value?.forget("a") }
        work.value = SharedWork(keepingResultsFor: .seconds(10), context: context) { [server] in server.load($0, $1) }
        let future = work.value?.future(for: "a")
        server.calls.all[0].promise.success(1)
        #expect(future?.ended == .success(1))
        #expect(clock.timerCount == 0)
    }
}

/// A user's context that calls a closure when it has started a timer.
private struct Interrupted: ExecutionContext {
    let clock: ManualContext
    let onStart: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) { clock.execute(task) }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        defer { onStart() }
        return clock.execute(after: delay, task)
    }
}
