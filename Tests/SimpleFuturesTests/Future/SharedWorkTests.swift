import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Shared work", .watchdog)
struct SharedWorkTests {
    /// Work that a test completes.
    final class Server: Sendable {
        struct Call: Sendable {
            let key: String
            let promise: Promise<Int>
            let token: CancelToken
        }

        let calls = Log<Call>()

        func load(_ key: String, _ token: CancelToken) -> Future<Int> {
            let call = Call(key: key, promise: Promise(), token: token)
            calls.add(call)
            return call.promise.future
        }
    }

    let server = Server()
    let clock = ManualContext()

    func makeWork(
        keeping lifetime: Duration? = .zero, grace: Duration = .zero
    ) -> SharedWork<String, Int> {
        SharedWork(keepingResultsFor: lifetime, gracePeriod: grace, context: clock) { [server] in server.load($0, $1) }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `concurrent callers for a key share one result, which is not kept, and each key has its own`(time: Duration) {
        let work = makeWork(keeping: time)
        let (first, second, other) = (work.future(for: "a"), work.future(for: "a"), work.future(for: "b"))
        #expect(server.calls.all.map(\.key) == ["a", "b"])
        server.calls.all[0].promise.success(1)
        #expect(first.ended == .success(1) && second.ended == .success(1) && other.ended == .pending)
        #expect(work.count == 1)
        _ = work.future(for: "a")
        #expect(server.calls.count == 3)
    }

    @Test func `the work is canceled when the last caller has left, not earlier`() {
        let work = makeWork()
        let (token, other) = (CancelToken(), CancelToken())
        work.future(for: "a").onSuccess(context: immediate, cancelToken: token) { _ in }
        let own = work.future(for: "a", cancelToken: other)
        let call = server.calls.all[0]
        other.cancel()
        #expect(own.isCancelled)
        #expect(!call.token.isCancelled)
        token.cancel()
        #expect(call.token.isCancelled)
        #expect(work.count == 0)
        _ = work.future(for: "a")
        #expect(server.calls.count == 2)
    }

    @Test(arguments: [false, true])
    func `a caller that joins while the work is being started keeps it, a race until it is decided`(isRace: Bool) {
        let (heard, other, same) = (Log<Int>(), Promise<Int>(), Box<SharedWork<String, Int>?>(nil))
        let work = SharedWork<String, Int>(context: clock) { [server] key, token in
            if let shared = same.value?.future(for: key) {
                (isRace ? [shared, other.future].firstCompleted() : shared)
                    .onSuccess(context: immediate) { heard.add($0) }
            }
            return server.load(key, token)
        }
        same.value = work
        _ = work.future(for: "a")
        same.value = nil
        let call = server.calls.all[0]
        #expect(!call.token.isCancelled)
        (isRace ? other : call.promise).success(1)
        #expect(call.token.isCancelled == isRace)
        #expect(heard.all == [1])
    }

    @Test func `a held future counts as a caller, and so do derived futures`() {
        let work = makeWork()
        var held: Future<Int>? = work.future(for: "a")
        let derived = work.future(for: "b").map(context: immediate) { $0 * 2 }
        let calls = server.calls.all
        #expect(!calls[0].token.isCancelled && !calls[1].token.isCancelled)
        #expect(held?.ended == .pending)
        held = nil
        #expect(calls[0].token.isCancelled)
        #expect(!calls[1].token.isCancelled)
        calls[1].promise.success(4)
        #expect(derived.ended == .success(8))
    }

    @Test func `a failure is not kept, even for a call in its own callback`() {
        let work = makeWork(keeping: nil)
        let retried = work.future(for: "a").recoverWith(context: immediate) { [work] _ in work.future(for: "a") }
        server.calls.all[0].promise.failure(Oops.source)
        #expect(server.calls.count == 2)
        server.calls.all[1].promise.success(2)
        #expect(retried.ended == .success(2))
        #expect(work.future(for: "a").ended == .success(2))
    }

    @Test(arguments: [true, false])
    func `a caller that has seen the end gets none of it, even if the entry is still to be removed`(_ fails: Bool) {
        let work = makeWork()
        let first = work.future(for: "a")
        let second = Box<Future<Int>?>(nil)
        // A callback of the source, which is delivered before those of the shared future are.
        server.calls.all[0].promise.future.onComplete(context: immediate) { [work] _ in
            #expect(first.completed)
            second.value = work.future(for: "a")
        }
        server.calls.all[0].promise.complete(fails ? .failure(Oops.source) : .success(1))
        #expect(server.calls.count == 2 && work.count == 1)
        server.calls.all.last?.promise.success(2)
        #expect(second.value?.ended == .success(2))
    }

    @Test func `a value is kept for the given time, or until forget is called`() {
        let work = makeWork(keeping: .seconds(10))
        work.future(for: "a").onSuccess(context: immediate) { _ in }
        server.calls.all[0].promise.success(1)
        clock.advance(by: .seconds(9))
        #expect(work.future(for: "a").ended == .success(1))
        clock.advance(by: .seconds(1))
        #expect(work.count == 0)
        let second = work.future(for: "a")
        server.calls.all[1].promise.success(2)
        #expect(second.ended == .success(2))
        work.forget("a")
        #expect(work.future(for: "a").ended == .pending)
        #expect(clock.timerCount == 0)
    }

    @Test func `forgotten work is also canceled when its last caller leaves`() {
        let work = makeWork()
        var future: Future<Int>? = work.future(for: "a")
        work.forget("a")
        let other = work.future(for: "a")
        #expect(server.calls.count == 2)
        #expect(future?.ended == .pending)
        future = nil
        #expect(server.calls.all[0].token.isCancelled)
        #expect(!server.calls.all[1].token.isCancelled)
        #expect(other.ended == .pending)
    }

    @Test(arguments: [true, false])
    func `work that a caller joins before the last one's leaving is noticed goes on`(isForgotten: Bool) {
        let work = Box<SharedWork<String, Int>?>(makeWork())
        let (first, second) = (Box(work.value?.future(for: "a")), Box<Future<Int>?>(nil))
        Future(value: ()).onSuccess(context: immediate) {
            // The work notices when this callback returns.
            first.value = nil
            second.value = work.value?.future(for: "a")
            if isForgotten { work.value?.forget("a") } else { work.value = nil }
        }
        let call = server.calls.all[0]
        #expect(server.calls.count == 1 && !call.token.isCancelled)
        second.value = nil
        #expect(call.token.isCancelled)
    }

    @Test func `work that forgets its own key goes on for its caller, even if nothing else holds its future`() {
        let (work, token) = (Box<SharedWork<String, Int>?>(nil), Box(CancelToken.none))
        defer { work.value = nil }
        work.value = SharedWork {
            work.value?.forget($0)
            token.value = $1
            return Future()
        }
        var future = work.value?.future(for: "a")
        #expect(future?.ended == .pending)
        future = nil
        #expect(token.value.isCancelled)
    }

    @Test func `under a token that is cancelled already no work is started`() {
        let (work, token) = (makeWork(keeping: nil), CancelToken())
        token.cancel()
        #expect(work.future(for: "a", cancelToken: token).ended == .cancelled)
        #expect(server.calls.count == 0 && work.count == 0)
    }

    @Test func `releasing the object cancels its timers, and work in its grace period`() {
        var work: SharedWork<String, Int>? = makeWork(keeping: .seconds(10), grace: .seconds(5))
        _ = work?.future(for: "a")
        work?.future(for: "b").onSuccess(context: immediate) { _ in }
        server.calls.all[1].promise.success(1)
        #expect(clock.timerCount == 2)
        work = nil
        #expect(clock.timerCount == 0)
        #expect(server.calls.all[0].token.isCancelled)
    }

    @Test func `work continues for its callers after the object is released, and is canceled when they leave`() {
        var work: SharedWork<String, Int>? = makeWork()
        let future = work?.future(for: "a")
        var left = work?.future(for: "b")
        weak var released: SharedWork<String, Int>?
        released = work
        work = nil
        #expect(released == nil)
        server.calls.all[0].promise.success(1)
        #expect(future?.ended == .success(1))
        #expect(left?.ended == .pending)
        left = nil
        #expect(server.calls.all[1].token.isCancelled)
    }

    @Test func `work without a key is shared and forgotten in the same way`() {
        let promises = Log<Promise<Int>>()
        let work = SharedWork<WithoutKey, Int>(keepingResultsFor: nil, context: clock) { _ in
            promises.add(Promise())
            return promises.all.last!.future
        }
        let own = work.future(cancelToken: CancelToken())
        promises.all[0].success(1)
        #expect(own.ended == .success(1))
        #expect(work.future().ended == .success(1))
        work.forget()
        #expect(work.future().ended == .pending)
    }

    @Test func `work that returns the future of its own key fails, and the next call starts it again`() {
        let itself = Box<SharedWork<String, Int>?>(nil)
        let starts = Box(0)
        let work = SharedWork<String, Int>(keepingResultsFor: nil, context: clock) { key, _ in
            starts.increment()
            return itself.value?.future(for: starts.value < 3 ? key : "b") ?? Future(value: 1)
        }
        itself.value = work
        defer { itself.value = nil }
        for count in 1...2 {
            #expect(work.future(for: "a").ended == .failure(FuturesError.invalidCompletion))
            #expect(starts.value == count && work.count == 0)
        }
    }

    @Test func `a broken promise or canceled source ends it for current callers, and not for the next one`() {
        let broken = SharedWork<WithoutKey, Int>(context: clock) { _ in Promise<Int>().future }
        #expect(broken.future().ended == .broken)
        let source = Source()
        let shared = source.future
        let cancelled = SharedWork<WithoutKey, Int>(context: clock) { _ in shared }
        let future = cancelled.future()
        source.end(.cancellation)
        #expect(future.ended == .cancelled)
        #expect(cancelled.count == 0)
    }
}
