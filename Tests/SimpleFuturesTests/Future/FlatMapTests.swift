import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Combinators whose closure returns a future: the second half", .watchdog)
struct FlatMapTests {
    /// The combinators that continue with an inner future.
    private static let combinators = FutureCombinator.all.filter { $0.inner == .future }

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
        let inner = Future<Int>()
        let derived = combinator.derive(on: context) { inner }
        context.run()
        inner.success(2)
        #expect(context.pendingCount == 0)
        #expect(derived.ended == .success(2))
    }

    @Test(arguments: combinators)
    func `the token also unsubscribes the second half`(_ combinator: FutureCombinator) {
        let token = CancelToken()
        let inner = Future<Int>()
        let derived = combinator.derive(under: token) { inner }
        #expect(inner.observerCount == 1)
        token.cancel()
        #expect(derived.isCancelled)
        #expect(inner.observerCount == 0)
        #expect(inner.ended == .pending)
        inner.success(1)
        #expect(derived.ended == .cancelled)
    }

    @Test(arguments: combinators)
    func `canceling the token inside the closure cancels the new future`(_ combinator: FutureCombinator) {
        let token = CancelToken()
        let inner = Future<Int>()
        let derived = combinator.derive(under: token) {
            token.cancel()
            return inner
        }
        #expect(derived.isCancelled)
        #expect(inner.observerCount == 0)
    }

    @Test(arguments: combinators)
    func `returning the new future itself as the inner one fails it`(_ combinator: FutureCombinator) {
        let context = ManualContext()
        let holder = Lock<Future<Int>?>(nil)
        let derived = combinator.derive(on: context) { holder.withLock { $0 } ?? Future(value: 0) }
        holder.withLock { $0 = derived }
        context.run()
        #expect(derived.ended == .failure(FuturesError.invalidCompletion))
    }

    @Test(arguments: combinators)
    func `an inner future without references is broken`(_ combinator: FutureCombinator) {
        #expect(combinator.derive { Promise<Int>().future }.ended == .broken)
        #expect(combinator.derive { Future() }.ended == .broken)
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
