import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 8: callbacks and their captures are released when they can no longer run", .watchdog)
struct ReleasedTests {
    @Test(arguments: FutureCombinator.all.filter { !$0.isLate }, Release.allCases)
    func `a link's target is released with the link`(_ combinator: FutureCombinator, _ release: Release) {
        let bench = ReleaseBench()
        let watch = Watch { probe in
            combinator.apply(to: bench.cancellable(), clock: bench.manual, under: bench.token)
                .onComplete(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        release.happen(to: bench)
        #expect(watch.isReleased)
        #expect(bench.manual.timerCount == 0)
        #expect(bench.token.registrationCount == 0)
    }

    @Test func `a token is released with its last reference, together with its links`() {
        let watch = Watch { probe in
            let promise = Promise<AtDeinit>()
            let token = CancelToken()
            promise.future.onSuccess(context: immediate, cancelToken: token) { _ in probe.use() }
            promise.future.map(cancelToken: token) { _ in probe.use() }.onCancel { probe.use() }
        }
        #expect(watch.isReleased)
    }

    @Test(arguments: Release.allCases)
    func `a token is released when the work under it has ended`(_ release: Release) {
        let watch = Watch { probe in
            let bench = ReleaseBench()
            // The token releases its handlers when it is released.
            bench.token.onCancel { probe.use() }
            let source = bench.source()
            source.onComplete(context: immediate, cancelToken: bench.token) { _ in }
            source.flatMap(context: bench.manual, cancelToken: bench.token) { Future(value: $0) }
                .onComplete(context: immediate) { _ in }
            release.happen(to: bench)
            bench.manual.advance(by: .zero)
        }
        #expect(watch.isReleased)
    }

    @Test func `a context with pending callbacks does not keep a promise alive`() {
        let manual = ManualContext()
        let watches = [
            Watch { probe in
                let promise = Promise<Probe>()
                promise.future.onComplete(context: manual) { _ in }
                promise.future.delay(.seconds(5), context: manual).onComplete(context: manual) { _ in }
                promise.success(probe)
            },
            Watch { probe in
                let promise = StreamPromise<Probe>(capacity: 0)
                promise.stream.onSuccess(context: manual) { _ in }
                promise.stream.map(context: manual) { $0 }.onFinish(context: immediate) { probe.use() }
                promise.success(probe)
            },
        ]
        #expect(watches.map(\.isReleased) == [false, false])
        manual.advance(by: .seconds(5))
        #expect(watches.map(\.isReleased) == [true, true])
    }
}

/// The event that ends the future.
enum Release: CaseIterable, Sendable {
    case success, failure, tokenCancel, promiseDropped, futureReleased, cancelledInFlight

    func happen(to bench: ReleaseBench) {
        switch self {
        case .success: bench.promise.value?.success(1)
        case .failure: bench.promise.value?.failure(Failure())
        case .tokenCancel: bench.token.cancel()
        case .promiseDropped: bench.promise.value = nil
        case .futureReleased:
            bench.promise.value?.success(1)
            bench.promise.value = nil
        case .cancelledInFlight:
            // A task of the context may already be scheduled.
            bench.promise.value?.success(1)
            bench.token.cancel()
            return
        }
        bench.manual.advance(by: .seconds(1))
    }
}

/// The future from which the tests derive.
final class ReleaseBench: Sendable {
    let promise = Box<Promise<Int>?>(Promise())
    let token = CancelToken()
    let manual = ManualContext()

    func source() -> Future<Int> { promise.value!.future }

    /// A source that is cancelled by the token.
    func cancellable() -> Future<Int> { source().map(context: immediate, cancelToken: token) { $0 } }
}

@Suite("Promise 8: a future without a closure leaves its source when nothing waits for it or refers to it", .watchdog)
struct FuturesLeaveTests {
    /// A way to derive such a future.
    enum Link: CaseIterable, Sendable {
        case timeout, delay, asVoid, materialize, dependent, zip, sequence, settled, firstCompleted, firstSucceeded

        /// Returns the future of a closure under `closureToken` behind the derived future.
        ///
        /// Nothing else holds the derived future.
        func derive(from source: Future<Int>, closureToken: CancelToken = .none) -> Future<Bool> {
            func mapped<T: Sendable>(_ derived: Future<T>) -> Future<Bool> {
                derived.map(context: immediate, cancelToken: closureToken) { _ in true }
            }
            let (clock, other, loser) = (ManualContext(), Future(value: 0), Future<Int>(error: Oops.other))
            return switch self {
            case .timeout: mapped(source.timeout(.seconds(1), context: clock))
            case .delay: mapped(source.delay(.zero, context: immediate))
            case .asVoid: mapped(source.asVoid())
            case .materialize: mapped(source.materialize())
            case .dependent: mapped(Future(dependent: source))
            case .zip: mapped(source.zip(other))
            case .sequence: mapped([source, other].sequence())
            case .settled: mapped([source, other].settled())
            case .firstCompleted: mapped([source].firstCompleted())
            case .firstSucceeded: mapped([source, loser].firstSucceeded())
            }
        }
    }

    // `LeavingTests` drops futures without a closure.

    @Test(arguments: Link.allCases)
    func `a dependent with a closure keeps it subscribed until that leaves`(link: Link) async {
        let (source, token) = (Future<Int>(), CancelToken())
        let (kept, left) = (link.derive(from: source), link.derive(from: source, closureToken: token))
        #expect(source.observerCount == 2)
        token.cancel()
        #expect(left.isCancelled && source.observerCount == 1)
        source.success(7)
        #expect(await kept.end() == .success(true))
    }

    /// Futures that leave their source, a future or a stream.
    private static let leaving: [@Sendable (Future<Int>, FutureStream<Int>, ManualContext) -> Future<Int>] = [
        { source, _, clock in source.timeout(.seconds(1), context: clock) },
        { source, _, clock in source.delay(.seconds(1), context: clock) },
        { source, _, _ in [source].firstCompleted() },
        { source, _, clock in [source.timeout(.seconds(1), context: clock)].firstSucceeded() },
        { _, stream, _ in stream.first() },
    ]

    @Test(arguments: ManyInputs.allCases)
    func `inputs that leave do so when a wait for many of them is decided, or itself dropped`(_ many: ManyInputs) {
        for leaving in Self.leaving where many != .settled {
            let (source, stream, clock) = (Future<Int>(), FutureStream<Int>(), ManualContext())
            let other = Promise<Int>()
            let whole = many.apply([leaving(source, stream, clock), other.future, Future()])
            if many.isRace { other.success(1) } else { other.failure(Oops.other) }
            #expect(whole.ended != .pending)
            #expect([source.observerCount, stream.core.subscriberCount, clock.timerCount] == [0, 0, 0], "decided")
        }
        for leaving in Self.leaving {
            let (source, stream, clock) = (Future<Int>(), FutureStream<Int>(), ManualContext())
            let (token, other) = (CancelToken(), Future<Int>())
            do {
                let inputs = { [leaving(source, stream, clock), other] }
                let whole: AnyFuture =
                    switch many {
                    case .settled: inputs().settled()
                    case .firstCompleted: inputs().firstCompleted()
                    case .firstSucceeded: inputs().firstSucceeded()
                    default: inputs().sequence()
                    }
                whole.observe(.plumbing, under: token) { _, _ in }
                #expect(source.observerCount + stream.core.subscriberCount == 1)
            }
            token.cancel()
            #expect([source.observerCount, stream.core.subscriberCount, clock.timerCount] == [0, 0, 0], "dropped")
        }
    }

    @Test func `a delay leaves a race that has begun before its source has ended`() {
        for isInCallback in [false, true] {
            let (source, other, clock) = (Promise<Int>(), Promise<Int>(), ManualContext())
            @Sendable func race() {
                _ = [source.future.delay(.seconds(1), context: clock), other.future].firstCompleted()
                    .map(context: immediate) { $0 }
            }
            if isInCallback { source.future.onSuccess(context: immediate) { _ in race() } } else { race() }
            source.success(1)
            #expect(clock.timerCount == 1)
            other.success(2)
            #expect(clock.timerCount == 0)
        }
    }
}
