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
    func `the closure runs on its context and is then released, and everything else needs no context`(
        _ combinator: FutureCombinator, _ ending: Source.Ending
    ) {
        let (source, other, context) = (Source(), Source(), ManualContext())
        var derived: [Future<Int>] = []
        let watches = [
            Watch { probe in derived.append(combinator.apply(to: source.future) { _ in probe.use() }) },
            Watch { probe in derived.append(combinator.apply(to: other.future, on: context) { _ in probe.use() }) },
        ]
        #expect(watches.map { $0.isReleased } == [false, false])
        for source in [source, other] { source.end(ending) }
        let outcome = combinator.outcome(of: ending)
        #expect(watches[0].isReleased)
        #expect(derived.map { $0.ended } == [outcome, combinator.runs(on: ending) ? .pending : outcome])
        context.run()
        #expect(watches[1].isReleased)
        #expect(derived[1].ended == outcome)
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

    // MARK: Of single combinators

    @Test func `map and flatMap can change the type, and a filter fails with noSuchElement`() {
        let source = Future(value: 3)
        #expect(source.map(context: immediate) { "\($0)" }.ended == .success("3"))
        #expect(source.map(context: immediate) { _ in Int?.none }.ended == .success(nil))
        #expect(Future(value: ()).map(context: immediate) { 3 }.ended == .success(3))
        #expect(source.flatMap(context: immediate) { Future(value: "\($0)") }.ended == .success("3"))
        #expect(source.withFilter(context: immediate) { $0 > 3 }.ended == .failure(FuturesError.noSuchElement))
        #expect(source.filter(context: immediate) { $0 > 3 }.ended == .failure(FuturesError.noSuchElement))
        #expect(
            Future(value: "x").compactMap(context: immediate) { Int($0) }.ended
                == .failure(FuturesError.noSuchElement))
        #expect(Future(value: "7").compactMap(context: immediate) { Int($0) }.ended == .success(7))
    }

    @Test func `andThen has run before the new future is completed`() {
        let log = Log<Int>()
        Future(value: 1)
            .andThen(context: immediate) { log.add($0) }
            .onSuccess(context: immediate) { log.add($0 + 1) }
        #expect(log.all == [1, 2])
    }
}

@Suite("Combinators whose closure returns a future: the second half", .watchdog)
struct FlatMapTests {
    /// The combinators that continue with an inner future.
    private static let combinators = FutureCombinator.all.filter { $0.inner == .future }

    private let inner = Future<Int>()

    @Test(arguments: combinators, Source.Ending.allCases)
    func `the new future ends like the inner one`(_ combinator: FutureCombinator, _ ending: Source.Ending) {
        for moment in Source.Moment.allCases {
            let derived = Source.ending(ending, moment) { inner in combinator.derive { inner } }
            #expect(derived.ended == ending.passedOn(success: .success(1)))
        }
    }

    @Test(arguments: combinators)
    func `the inner future completes the new one without a hop`(_ combinator: FutureCombinator) {
        let context = ManualContext()
        let derived = combinator.derive(on: context) { [inner] in inner }
        context.run()
        inner.success(2)
        #expect(context.pendingCount == 0)
        #expect(derived.ended == .success(2))
    }

    @Test(arguments: combinators, [true, false])
    func `canceling the token, inside the closure or later, unsubscribes from the inner future`(
        _ combinator: FutureCombinator, isInside: Bool
    ) {
        let token = CancelToken()
        let derived = combinator.derive(under: token) { [inner] in
            if isInside { token.cancel() }
            return inner
        }
        #expect(inner.observerCount == (isInside ? 0 : 1))
        token.cancel()
        #expect(derived.isCancelled)
        #expect(inner.observerCount == 0)
        #expect(inner.ended == .pending)
        inner.success(1)
        #expect(derived.ended == .cancelled)
    }

    @Test(arguments: combinators)
    func `an inner future without references is broken, and the new future itself is an error`(
        _ combinator: FutureCombinator
    ) {
        #expect(combinator.derive { Promise<Int>().future }.ended == .broken)
        #expect(combinator.derive { Future() }.ended == .broken)
        let context = ManualContext()
        let holder = Box<Future<Int>?>(nil)
        let derived = combinator.derive(on: context) { holder.value ?? Future(value: 0) }
        holder.value = derived
        context.run()
        #expect(derived.ended == .failure(FuturesError.invalidCompletion))
    }
}

extension FutureCombinator {
    /// Derives a future from a source that has ended so that the closure runs.
    fileprivate func derive(
        on context: any ExecutionContext = immediate, under token: CancelToken = .none,
        _ inner: @escaping @Sendable () -> Future<Int>
    ) -> Future<Int> {
        let source = runs == .value ? Future(value: 1) : Future<Int>(error: Oops.source)
        return apply(to: source, on: context, under: token, inner: Use.Inner(future: inner))
    }
}
