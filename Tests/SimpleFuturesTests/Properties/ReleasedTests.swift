import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 8: callbacks and their captures are released when they can no longer run", .watchdog)
struct ReleasedTests {
    private let here = ImmediateContext()

    @Test(arguments: Holder.allCases, Release.allCases)
    func `captures of a callback are released when it has run or never will`(
        _ holder: Holder, _ release: Release
    ) {
        let bench = ReleaseBench()
        let watch = holder.capture(in: bench)
        #expect(!watch.isReleased)
        release.happen(to: bench)
        #expect(watch.isReleased)
        withExtendedLifetime(bench) {}
    }

    @Test(arguments: FutureCombinator.all.filter { $0.takesClosure }, Release.allCases)
    func `captures of a combinator's closure are released when it has run or never will`(
        _ combinator: FutureCombinator, _ release: Release
    ) {
        let bench = ReleaseBench()
        var derived: Future<Int>?
        let watch = Watch { probe in
            derived = combinator.apply(to: bench.cancellable(), clock: bench.manual, under: bench.token) { _ in
                probe.use()
            }
        }
        #expect(!watch.isReleased)
        release.happen(to: bench)
        #expect(watch.isReleased)
        #expect(derived?.ended != .pending)
    }

    @Test(arguments: FutureCombinator.all.filter { !$0.isLate }, Release.allCases)
    func `a link's target is released with the link`(_ combinator: FutureCombinator, _ release: Release) {
        let bench = ReleaseBench()
        let watch = Watch { probe in
            combinator.apply(to: bench.cancellable(), clock: bench.manual, under: bench.token)
                .onComplete(context: here) { _ in probe.use() }
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
            promise.future.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in probe.use() }
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
            source.onComplete(context: here, cancelToken: bench.token) { _ in }
            source.flatMap(context: bench.manual, cancelToken: bench.token) { Future(value: $0) }
                .onComplete(context: here) { _ in }
            release.happen(to: bench)
            bench.manual.advance(by: .zero)
        }
        #expect(watch.isReleased)
    }

    @Test func `a value and an error are released with their future`() {
        #expect(Watch { _ = Future(value: $0) }.isReleased)
        #expect(Watch { _ = Future(value: ($0, 1, 2, 3, 4)) }.isReleased)
        #expect(Watch { _ = Future<Int>(error: ProbeError(probe: $0)) }.isReleased)
    }

    @Test(arguments: [true, false])
    func `a timer is canceled when the future that needs it ends`(_ isManual: Bool) {
        let manual = ManualContext()
        let context: any ExecutionContext = isManual ? manual : ImmediateContext()
        let promise = Promise<Probe>()
        let late = promise.future.timeout(.seconds(1_000_000), context: context)
        let token = CancelToken()
        let delayed = late.delay(.seconds(1_000_000), context: context, cancelToken: token)
        let watch = Watch { promise.success($0) }
        #expect(manual.timerCount == (isManual ? 1 : 0))
        token.cancel()
        #expect(delayed.isCancelled)
        #expect(manual.timerCount == 0)
        #expect(!watch.isReleased)
        withExtendedLifetime(late) {}
    }

    @Test func `a context with pending callbacks does not keep a promise alive`() {
        let manual = ManualContext()
        let watch = Watch { probe in
            let promise = Promise<Probe>()
            promise.future.onComplete(context: manual) { _ in }
            promise.future.delay(.seconds(5), context: manual).onComplete(context: manual) { _ in }
            promise.success(probe)
        }
        #expect(!watch.isReleased)
        manual.advance(by: .seconds(5))
        #expect(watch.isReleased)
    }

    // MARK: Streams

    @Test(arguments: StreamCombinator.all.filter { $0.takesClosure }, StreamRelease.allCases)
    func `captures of a stream combinator's closure are released when it can no longer run`(
        _ combinator: StreamCombinator, _ release: StreamRelease
    ) {
        let clock = ManualContext()
        let bench = StreamBench()
        let derived = Box<FutureStream<Int>?>(nil)
        let source = bench.promise.value!.stream
        let watch = Watch { probe in
            derived.value = combinator.apply(to: source, clock: clock, under: bench.token) { _ in probe.use() }
        }
        bench.promise.value?.success(1)
        #expect(!watch.isReleased)
        release.happen(to: bench, source, derived.value!)
        #expect(watch.isReleased)
        #expect(bench.token.registrationCount == 0)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesToken }, StreamRelease.allCases)
    func `the target of a link between streams is released with the link`(
        _ combinator: StreamCombinator, _ release: StreamRelease
    ) {
        let clock = ManualContext()
        let bench = StreamBench()
        let source = bench.promise.value!.stream
        let watch = Watch { probe in
            let derived = combinator.apply(to: source, clock: clock, under: bench.token)
            derived.onComplete(context: immediate) { _ in probe.use() }
        }
        bench.promise.value?.success(1)
        #expect(!watch.isReleased)
        guard release != .derivedFinished else { return }
        release.happen(to: bench, source, source)
        clock.advance(by: .seconds(1))
        #expect(watch.isReleased)
        #expect(clock.pendingCount == 0)
    }

    @Test func `an element that is not in the replay buffer is released as soon as it is delivered`() {
        let context = ManualContext()
        let stream = FutureStream<Probe>(capacity: 0)
        let watchWithout = Watch { stream.success($0) }
        #expect(watchWithout.isReleased)
        stream.onSuccess(context: immediate) { $0.use() }
        let watchHere = Watch { stream.success($0) }
        #expect(watchHere.isReleased)
        stream.onSuccess(context: context) { $0.use() }
        let watchLater = Watch { stream.success($0) }
        #expect(!watchLater.isReleased)
        context.run()
        #expect(watchLater.isReleased)
        let bounded = FutureStream<Probe>(capacity: 2)
        let watches = (0..<5).map { _ in Watch { bounded.success($0) } }
        #expect(watches.map { $0.isReleased } == [true, true, true, false, false])
    }

    @Test func `an element is kept for a subscriber that has not received it, until that is unsubscribed`() {
        let token = CancelToken()
        let context = ManualContext()
        let stream = FutureStream<Probe>(capacity: 1)
        stream.onSuccess(context: context, cancelToken: token) { $0.use() }
        let watches = (0..<4).map { _ in Watch { stream.success($0) } }
        #expect(watches.map { $0.isReleased } == [false, false, false, false])
        token.cancel()
        #expect(watches.map { $0.isReleased } == [true, true, true, false])
        #expect(context.pendingCount == 1)
    }

    @Test func `a callback that is unsubscribed while it runs does not retain later elements`() {
        let token = CancelToken()
        let stream = FutureStream<Probe>(capacity: 0)
        stream.onSuccess(context: immediate, cancelToken: token) { _ in token.cancel() }
        // The element of the current call and a later one.
        #expect(Watch { stream.success($0) }.isReleased)
        #expect(Watch { stream.success($0) }.isReleased)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `an error that is not in the replay buffer is released, too`() {
        let stream = FutureStream<Int>(capacity: 0)
        stream.onFailure(context: immediate) { _ in }
        #expect(Watch { stream.failure(ProbeError(probe: $0)) }.isReleased)
    }

    @Test func `releasing a manual context with pending tasks releases their captures`() {
        let watch = Watch { probe in
            let context = ManualContext()
            let stream = FutureStream<Probe>()
            let derived = stream.map(context: context) { $0 }
            derived.onSuccess(context: immediate) { _ in probe.use() }
            stream.onFinish(context: context) { probe.use() }
            stream.onSuccess(context: context) { _ in probe.use() }
            stream.success(probe)
        }
        #expect(watch.isReleased)
    }

    @Test func `zip with an ended stream does not retain elements`() {
        let watch = Watch { probe in
            let token = CancelToken()
            token.onCancel { probe.use() }
            let ended = FutureStream<Int>()
            ended.finish()
            _ = ended.zip(FutureStream<Int>(), cancelToken: token)
        }
        #expect(watch.isReleased)
    }

    @Test(arguments: StreamRelease.allCases)
    func `a context is released when the work on it has ended`(_ release: StreamRelease) {
        let bench = StreamBench()
        let source = bench.promise.value!.stream
        let derived = Box<FutureStream<Int>?>(nil)
        let watch = Watch { probe in
            let context = ProbedContext(probe: probe)
            source.onSuccess(context: context, cancelToken: bench.token) { _ in }
            derived.value = source.map(context: context, cancelToken: bench.token) { $0 }
        }
        source.success(1)
        #expect(!watch.isReleased)
        if release == .derivedFinished { source.cancel(bench.token) }
        release.happen(to: bench, source, derived.value!)
        #expect(watch.isReleased)
    }

    @Test(arguments: [true, false])
    func `releasing a manual context with a stream's timers releases their captures`(_ isThrottle: Bool) {
        let watch = Watch { probe in
            let context = ManualContext()
            let stream = FutureStream<Probe>()
            let derived =
                isThrottle
                ? stream.throttle(.seconds(1), context: context) : stream.debounce(.seconds(1), context: context)
            derived.onSuccess(context: context) { _ in probe.use() }
            stream.success(probe)
            stream.success(probe)
        }
        #expect(watch.isReleased)
    }

    @Test func `releasing a struct around a manual context releases the tasks' captures`() {
        let watch = Watch { probe in
            let stream = FutureStream<Int>()
            stream.onSuccess(context: Wrapped(base: ManualContext())) { _ in probe.use() }
            stream.success(1)
        }
        #expect(watch.isReleased)
    }

    @Test func `a context that drops its task breaks a derived stream`() {
        for context in [DroppingContext(), ManualContext()] as [any ExecutionContext] {
            let source = FutureStream<Int>()
            let watch = Watch { probe in
                source.onSuccess(context: DroppingContext()) { _ in probe.use() }
                source.onFinish(context: DroppingContext()) { probe.use() }
            }
            let derived = source.map(context: DroppingContext()) { $0 }
            let recovered = source.recover(context: DroppingContext()) { _ in 1 }
            let flattened = source.flatMap(context: DroppingContext()) { FutureStream(value: $0) }
            let log = derived.heard()
            source.success(1)
            #expect(derived.state == [.broken, .finish])
            #expect(recovered.state == [.broken, .finish])
            #expect(flattened.state == [.broken, .finish])
            #expect(log.all == [.broken, .finish])
            #expect(watch.isReleased)
            #expect(source.core.subscriberCount == 0)
            source.success(2)
            #expect(source.state == [1, 2])
            withExtendedLifetime(context) {}
        }
    }

    @Test func `a class context released with its tasks after the stream's end breaks derived streams`() {
        let source = FutureStream<Int>()
        let derived = Box<FutureStream<Int>?>(nil)
        do {
            let context = ReversingContext()
            derived.value = source.map(context: context) { $0 }
            source.success(1)
            context.run()
            source.success(2)
        }
        // The stream retains the context as long as it can get elements.
        #expect(derived.value?.state == [1])
        source.finish()
        #expect(derived.value?.state == [1, .broken, .finish])
        #expect(source.core.subscriberCount == 0)
    }

    @Test func `a context that only the stream retains keeps working`() {
        let stream = FutureStream<Int>()
        let log = Log<Int>()
        let queue = DispatchQueue(label: "only the stream's")
        stream.onSuccess(context: QueueClass(queue: queue)) { log.add($0) }
        for value in 1...2 {
            stream.success(value)
            // Depending on timing, the context may be released before its task begins.
            queue.sync {}
        }
        #expect(log.all == [1, 2])
    }

    @Test func `links of streams are removed from a token that is still in use`() {
        let token = CancelToken()
        for index in 0..<200 {
            let stream = FutureStream<Int>()
            for combinator in StreamCombinator.all {
                _ = combinator.apply(to: stream, clock: ManualContext(), under: token)
            }
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
            stream.onFinish(context: immediate, cancelToken: token) {}
            if index.isMultiple(of: 2) { stream.success(1) }
        }
        #expect(token.registrationCount == 0)
    }

    @Test func `a token is released with the streams under it`() {
        let watch = Watch { probe in
            let token = CancelToken()
            token.onCancel { probe.use() }
            let stream = FutureStream<Int>()
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
            stream.onFinish(context: immediate, cancelToken: token) {}
            stream.flatMap(context: immediate, cancelToken: token) { _ in Future<Int>() }
                .onSuccess(context: immediate) { _ in }
            stream.success(1)
        }
        #expect(watch.isReleased)
    }
}

private struct ProbeError: Error {
    let probe: Probe
}

/// The call that receives the closure that captures the probe.
enum Holder: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case onComplete, onSuccess, onFailure, onCancelOfDerived, innerOfFlatMap, manualContext

    var testDescription: String { rawValue }

    func capture(in bench: ReleaseBench) -> Watch {
        let here = ImmediateContext()
        let token = bench.token
        return Watch { probe in
            let source = bench.source()
            switch self {
            case .onComplete: source.onComplete(context: here, cancelToken: token) { _ in probe.use() }
            case .onSuccess: source.onSuccess(context: here, cancelToken: token) { _ in probe.use() }
            case .onFailure: source.onFailure(context: here, cancelToken: token) { _ in probe.use() }
            case .onCancelOfDerived:
                source.map(context: here, cancelToken: token) { $0 }.onCancel(context: here) { probe.use() }
            case .innerOfFlatMap:
                Future(value: 1).flatMap(context: here, cancelToken: token) { _ in source }
                    .onComplete(context: here) { _ in probe.use() }
            case .manualContext: source.onComplete(context: bench.manual, cancelToken: token) { _ in probe.use() }
            }
        }
    }
}

/// The event that ends the future.
enum Release: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case success, failure, tokenCancel, promiseDropped, futureReleased, cancelledInFlight

    var testDescription: String { rawValue }

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

/// The future or stream from which the tests derive.
final class ReleaseBench: Sendable {
    let promise = Box<Promise<Int>?>(Promise())
    let token = CancelToken()
    let manual = ManualContext()

    func source() -> Future<Int> { promise.value!.future }

    /// A source that is cancelled by the token.
    func cancellable() -> Future<Int> { source().map(context: immediate, cancelToken: token) { $0 } }
}

/// The event that ends a link.
enum StreamRelease: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case finished, promiseReleased, tokenCancelled, detached, derivedFinished

    var testDescription: String { rawValue }

    func happen(to bench: StreamBench, _ source: FutureStream<Int>, _ derived: FutureStream<Int>) {
        switch self {
        case .finished: bench.promise.value?.finish()
        case .promiseReleased: bench.promise.value = nil
        case .tokenCancelled: bench.token.cancel()
        case .detached: source.cancel(bench.token)
        case .derivedFinished: derived.finish()
        }
    }
}

final class StreamBench: Sendable {
    let promise = Box<StreamPromise<Int>?>(StreamPromise())
    let token = CancelToken()
}

private struct ProbedContext: ExecutionContext {
    let probe: Probe

    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}

private struct Wrapped: ExecutionContext {
    let base: ManualContext

    func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }
}

private final class QueueClass: ExecutionContext {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
}
