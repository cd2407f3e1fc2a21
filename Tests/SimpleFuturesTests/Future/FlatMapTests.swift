import SimpleFutures
import Testing
@testable import TestSupport

@Suite("flatMap and recoverWith: the second half", .watchdog)
struct FlatMapTests {
    /// Both combinators put an inner future in the place of the source.
    enum Combinator: CaseIterable, Sendable {
        case flatMap, recoverWith

        func derive(
            on context: any ExecutionContext = immediate, under token: CancelToken = .none,
            _ inner: @escaping @Sendable () throws -> Future<Int>
        ) -> Future<Int> {
            switch self {
            case .flatMap:
                Future(value: "one").flatMap(context: context, cancelToken: token) { _ in try inner() }
            case .recoverWith:
                Future(error: Oops.source).recoverWith(context: context, cancelToken: token) { _ in try inner() }
            }
        }
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the new future ends as the inner one`(combinator: Combinator, ending: Source.Ending) {
        for moment in Source.Moment.allCases {
            let derived = Source.ending(ending, moment) { inner in combinator.derive { inner } }
            #expect(derived.ended == ending.passedOn(success: .success(1)))
        }
    }

    @Test(arguments: Combinator.allCases)
    func `the inner future completes the new one without a hop`(combinator: Combinator) {
        let context = ManualContext()
        let inner = Future<Int>()
        let derived = combinator.derive(on: context) { inner }
        context.run()
        inner.success(2)
        #expect(context.pendingCount == 0)
        #expect(derived.ended == .success(2))
    }

    @Test(arguments: Combinator.allCases)
    func `the token detaches the second half too`(combinator: Combinator) {
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

    @Test(arguments: Combinator.allCases)
    func `cancelling the token inside the closure cancels the new future`(combinator: Combinator) {
        let token = CancelToken()
        let inner = Future<Int>()
        let derived = combinator.derive(under: token) {
            token.cancel()
            return inner
        }
        #expect(derived.isCancelled)
        #expect(inner.observerCount == 0)
    }

    @Test(arguments: Combinator.allCases)
    func `an inner future that is the new one itself fails it`(combinator: Combinator) {
        let context = ManualContext()
        let holder = Lock<Future<Int>?>(nil)
        let derived = combinator.derive(on: context) { holder.withLock { $0 } ?? Future(value: 0) }
        holder.withLock { $0 = derived }
        context.run()
        #expect(derived.ended == .failure(FuturesError.invalidCompletion))
    }

    @Test(arguments: Combinator.allCases)
    func `an inner future that nobody keeps is broken`(combinator: Combinator) {
        #expect(combinator.derive { Promise<Int>().future }.ended == .broken)
        #expect(combinator.derive { Future() }.ended == .broken)
    }

    @Test(arguments: Combinator.allCases)
    func `what the closure throws fails the new future`(combinator: Combinator) {
        #expect(combinator.derive { throw Oops.thrown }.ended == .failure(Oops.thrown))
    }
}
