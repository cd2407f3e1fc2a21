import SimpleFutures
import Testing
@testable import TestSupport

@Suite("completeWith", .watchdog)
struct CompleteWithTests {
    private let promise = Promise<Int>()
    private let future = Future<Int>()

    // A future as the source of both is among the combinators of `FutureCombinatorTests`.
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `a result that contains a future completes like the future`(ending: Source.Ending, moment: Source.Moment) {
        Source.ending(ending, moment) { source in
            promise.completeWith(future: Try.success(source))
            future.completeWith(context: DroppingContext(), future: Try.success(source))
        }
        // A broken source has failed, and the failure is passed on.
        #expect(promise.future.ended == ending.passedOn(success: .success(1)))
        #expect(future.ended == ending.passedOn(success: .success(1)))
    }

    @Test func `a result with an error fails the target`() {
        promise.completeWith(future: Try<Future<Int>>.failure(Oops.other))
        #expect(promise.future.ended == .failure(Oops.other))
        future.completeWith(future: .failure(Oops.other))
        #expect(future.ended == .failure(Oops.other))
    }

    @Test(arguments: [true, false], [true, false])
    func `if promise or source is released the other one completes the future, and if both are it is broken`(
        sourceFirst: Bool, completes: Bool
    ) {
        var source: Future<Int>? = Future()
        var promise: Promise<Int>? = Promise()
        let future = promise?.future
        promise?.completeWith(future: source ?? Future())
        if sourceFirst { source = nil } else { promise = nil }
        #expect(future?.ended == .pending)
        if completes { sourceFirst ? promise?.success(3) : source?.success(3) }
        (source, promise) = (nil, nil)
        #expect(future?.ended == (completes ? .success(3) : .broken))
    }

    @Test func `a target completed in another way unsubscribes from its source, and gets no new one`() {
        promise.completeWith(future: future)
        #expect(future.observerCount == 1)
        promise.success(1)
        #expect(future.observerCount == 0)
        promise.completeWith(future: future)
        promise.completeWith(future: promise.future)
        #expect(future.observerCount == 0)
        future.success(2)
        #expect(promise.future.ended == .success(1))
    }
}
