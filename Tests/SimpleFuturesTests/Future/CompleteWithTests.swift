import SimpleFutures
import Testing
@testable import TestSupport

@Suite("completeWith", .watchdog)
struct CompleteWithTests {
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `a promise's future ends like the source`(ending: Source.Ending, moment: Source.Moment) {
        let promise = Promise<Int>()
        Source.ending(ending, moment) { promise.completeWith(future: $0) }
        // A broken source has failed, and the failure is passed on.
        #expect(promise.future.ended == ending.passedOn(success: .success(1)))
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `a future ends like the source`(ending: Source.Ending, moment: Source.Moment) {
        let future = Future<Int>()
        Source.ending(ending, moment) { future.completeWith(context: DroppingContext(), future: $0) }
        #expect(future.ended == ending.passedOn(success: .success(1)))
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `a result that contains a future completes like the future`(ending: Source.Ending, moment: Source.Moment) {
        let promise = Promise<Int>()
        let future = Future<Int>()
        Source.ending(ending, moment) { source in
            promise.completeWith(future: Try.success(source))
            future.completeWith(context: DroppingContext(), future: Try.success(source))
        }
        #expect(promise.future.ended == ending.passedOn(success: .success(1)))
        #expect(future.ended == ending.passedOn(success: .success(1)))
    }

    @Test func `a result with an error fails the target`() {
        let promise = Promise<Int>()
        promise.completeWith(future: Try<Future<Int>>.failure(Oops.other))
        #expect(promise.future.ended == .failure(Oops.other))
        let future = Future<Int>()
        future.completeWith(future: .failure(Oops.other))
        #expect(future.ended == .failure(Oops.other))
    }

    @Test func `the promise can be released before the source`() {
        let source = Future<Int>()
        var promise: Promise<Int>? = Promise()
        let future = promise?.future
        promise?.completeWith(future: source)
        promise = nil
        #expect(future?.ended == .pending)
        source.success(3)
        #expect(future?.ended == .success(3))
    }

    @Test func `the source can be released before the promise`() {
        var source: Future<Int>? = Future()
        let promise = Promise<Int>()
        promise.completeWith(future: source ?? Future())
        source = nil
        #expect(promise.future.ended == .pending)
        promise.success(3)
        #expect(promise.future.ended == .success(3))
    }

    @Test(arguments: [true, false])
    func `when both are released the future is broken`(sourceFirst: Bool) {
        var source: Future<Int>? = Future()
        var promise: Promise<Int>? = Promise()
        let future = promise?.future
        promise?.completeWith(future: source ?? Future())
        if sourceFirst { source = nil } else { promise = nil }
        #expect(future?.ended == .pending)
        source = nil
        promise = nil
        #expect(future?.ended == .broken)
    }

    @Test func `a target told to complete with itself fails`() {
        let promise = Promise<Int>()
        promise.completeWith(future: promise.future)
        #expect(promise.future.result?.error as? FuturesError == .invalidCompletion)
        let future = Future<Int>()
        future.completeWith(future: future)
        #expect(future.result?.error as? FuturesError == .invalidCompletion)
    }

    @Test func `completeWith has no effect on a completed target`() {
        let source = Future<Int>()
        let promise = Promise<Int>()
        promise.success(1)
        promise.completeWith(future: source)
        promise.completeWith(future: promise.future)
        #expect(source.observerCount == 0)
        source.success(2)
        #expect(promise.future.ended == .success(1))
    }

    @Test func `the link is removed when the target is completed in another way`() {
        let source = Future<Int>()
        let promise = Promise<Int>()
        promise.completeWith(future: source)
        #expect(source.observerCount == 1)
        promise.success(1)
        #expect(source.observerCount == 0)
        source.success(2)
        #expect(promise.future.ended == .success(1))
    }

    @Test func `of many sources the first counts and the others are unsubscribed`() {
        let sources = (0..<5).map { _ in Future<Int>() }
        let future = Future<Int>()
        for source in sources { future.completeWith(future: source) }
        sources[3].success(3)
        #expect(future.ended == .success(3))
        #expect(sources.allSatisfy { $0.observerCount == 0 })
    }

    @Test func `neither target nor source is held after the end`() {
        weak var weakTarget: Future<Int>?
        weak var weakSource: Future<Int>?
        for end in [{ (source: Future<Int>, _: Future<Int>) in source.success(1) }, { $1.success(1) }, { _, _ in }] {
            do {
                let source = Future<Int>()
                let target = Future<Int>()
                (weakSource, weakTarget) = (source, target)
                target.completeWith(future: source)
                end(source, target)
            }
            #expect(weakSource == nil)
            #expect(weakTarget == nil)
        }
    }

    @Test func `completing one of two futures that wait for each other completes both`() {
        let one = Future<Int>()
        let two = Future<Int>()
        one.completeWith(future: two)
        two.completeWith(future: one)
        one.success(1)
        #expect(two.ended == .success(1))
        #expect(one.observerCount == 0)
        #expect(two.observerCount == 0)
    }
}
