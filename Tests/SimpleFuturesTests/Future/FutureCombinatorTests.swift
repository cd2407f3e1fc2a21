import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Every combinator that derives a future from another", .watchdog)
struct FutureCombinatorTests {
    @Test(arguments: FutureCombinator.all, Source.Ending.allCases)
    func `the new future ends like its source, and the closure runs for the results it handles`(
        _ combinator: FutureCombinator, _ ending: Source.Ending
    ) async {
        for moment in Source.Moment.allCases {
            let given = Log<Outcome<Int>>()
            let clock = ManualContext()
            let derived = Source.ending(ending, moment) { source in
                combinator.apply(to: source, clock: clock) { given.add(Outcome($0)) }
            }
            if combinator.waits { #expect(derived.ended == (ending == .cancellation ? .cancelled : .pending)) }
            clock.advance(by: .seconds(1))
            #expect((combinator.isLate ? await derived.end() : derived.ended) == combinator.outcome(of: ending))
            #expect(clock.pendingCount == 0)
            let expected = combinator.runs == .atOnce ? .success(0) : ending.passedOn(success: .success(1))
            let count = combinator.runs(on: ending) ? combinator.runCount : 0
            #expect(given.all == Array(repeating: expected, count: count))
        }
    }

    @Test(arguments: FutureCombinator.all.filter { $0.canThrow }, Source.Ending.allCases)
    func `an error thrown by the closure fails the new future`(_ combinator: FutureCombinator, _ ending: Source.Ending)
    {
        for moment in Source.Moment.allCases {
            let derived = Source.ending(ending, moment) { combinator.apply(to: $0) { _ in throw Oops.thrown } }
            let isThrown = combinator.runs(on: ending)
            #expect(derived.ended == (isThrown ? .failure(Oops.thrown) : combinator.outcome(of: ending)))
        }
    }

    @Test(arguments: FutureCombinator.all.filter { $0.takesClosure }, Source.Ending.allCases)
    func `the closure runs on its context, and everything else needs no context`(
        _ combinator: FutureCombinator, _ ending: Source.Ending
    ) {
        let context = ManualContext()
        let derived = Source.ending(ending, .after) { combinator.apply(to: $0, on: context) }
        #expect(derived.ended == (combinator.runs(on: ending) ? .pending : combinator.outcome(of: ending)))
        context.run()
        #expect(derived.ended == combinator.outcome(of: ending))
    }

    @Test(arguments: FutureCombinator.all.filter { $0.takesClosure }, Source.Ending.allCases)
    func `the closure is released when the source has ended`(_ combinator: FutureCombinator, _ ending: Source.Ending) {
        let source = Source()
        var derived: Future<Int>?
        let watch = Watch { probe in derived = combinator.apply(to: source.future) { _ in probe.use() } }
        #expect(!watch.isReleased)
        source.end(ending)
        #expect(watch.isReleased)
        #expect(derived?.ended == combinator.outcome(of: ending))
    }

    // Functions that create futures hold their source, and a bare future can still be completed by a call.
    @Test(arguments: FutureCombinator.all.filter { $0.runs != .atOnce && $0.name != "completeWith" })
    func `releasing a pending source breaks the new future`(_ combinator: FutureCombinator) async {
        var source: Future<Int>? = Future()
        let given = Log<Outcome<Int>>()
        let clock = ManualContext()
        let derived = combinator.apply(to: source!, clock: clock) { given.add(Outcome($0)) }
        source = nil
        clock.advance(by: .seconds(1))
        #expect((combinator.isLate ? await derived.end() : derived.ended) == combinator.outcome(of: .breach))
        #expect(given.all == (combinator.runs == .error ? [.broken] : []))
    }

    @Test(arguments: FutureCombinator.all.filter { $0.takesToken }, [true, false])
    func `canceling the token cancels the new future and releases the closure`(
        _ combinator: FutureCombinator, isWhole: Bool
    ) {
        let (token, clock) = (CancelToken(), ManualContext())
        let source = Future<Int>()
        var derived: Future<Int>?
        let watch = Watch { probe in
            derived = combinator.apply(to: source, clock: clock, under: token) { _ in probe.use() }
        }
        if isWhole || combinator.runs == .atOnce { token.cancel() } else { #expect(source.cancel(token)) }
        #expect(derived?.ended == .cancelled)
        #expect(watch.isReleased)
        #expect(source.observerCount == 0)
        #expect(token.registrationCount == 0)
        #expect(clock.timerCount == 0)
        source.success(1)
        #expect(derived?.ended == .cancelled)
        #expect(source.ended == .success(1))
    }

    @Test(arguments: FutureCombinator.all.filter { $0.takesToken && $0.takesClosure })
    func `a dispatched closure is released when the token is canceled`(
        _ combinator: FutureCombinator
    ) {
        let (token, context, runs) = (CancelToken(), ManualContext(), Box(0))
        let source = combinator.runs == .value ? Future(value: 1) : Future<Int>(error: Oops.source)
        var derived: Future<Int>?
        let watch = Watch { probe in
            derived = combinator.apply(to: source, on: context, under: token) { _ in
                probe.use()
                runs.increment()
            }
        }
        #expect(context.pendingCount == 1)
        token.cancel()
        #expect(derived?.ended == .cancelled)
        #expect(watch.isReleased)
        context.run()
        #expect(runs.value == 0)
    }

    // MARK: Of single combinators

    @Test func `map can change the type`() {
        #expect(Future(value: 3).map(context: immediate) { "\($0)" }.ended == .success("3"))
        #expect(Future(value: 3).map(context: immediate) { _ in Int?.none }.ended == .success(nil))
        #expect(Future(value: ()).map(context: immediate) { 3 }.ended == .success(3))
    }

    @Test func `flatMap can change the type`() {
        #expect(Future(value: 3).flatMap(context: immediate) { Future(value: "\($0)") }.ended == .success("3"))
    }

    @Test func `a filter that returns false fails with noSuchElement`() {
        let source = Future(value: 3)
        #expect(source.withFilter(context: immediate) { $0 > 3 }.ended == .failure(FuturesError.noSuchElement))
        #expect(source.filter(context: immediate) { $0 > 3 }.ended == .failure(FuturesError.noSuchElement))
        #expect(source.filter(context: immediate) { $0 > 2 }.ended == .success(3))
    }

    @Test func `andThen has run before the new future is completed`() {
        let log = Log<Int>()
        Future(value: 1)
            .andThen(context: immediate) { log.add($0) }
            .onSuccess(context: immediate) { log.add($0 + 1) }
        #expect(log.all == [1, 2])
    }

    @Test func `one source can have many derived futures`() {
        let source = Future<Int>()
        let derived = (0..<10).map { number in source.map(context: immediate) { $0 + number } }
        source.success(1)
        #expect(derived.map { $0.ended } == (1...10).map { .success($0) })
    }
}
