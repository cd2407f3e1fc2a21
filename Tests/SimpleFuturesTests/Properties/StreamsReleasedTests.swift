import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 8: streams release callbacks, captures and elements when they can no longer be used", .watchdog)
struct StreamsReleasedTests {
    @Test(arguments: StreamCombinator.all.filter { $0.takesClosure }, Release.allCases)
    func `captures of a combinator's closure are released when it can no longer run`(
        _ combinator: StreamCombinator, _ release: Release
    ) {
        let bench = Bench()
        let source = bench.promise.value!.stream
        let derived = Box<FutureStream<Int>?>(nil)
        let watch = Watch { probe in
            derived.value = combinator.apply(to: source, under: bench.token) { _ in probe.use() }
        }
        source.success(1)
        #expect(!watch.isReleased)
        release.happen(to: bench, source, derived.value!)
        #expect(watch.isReleased)
        #expect(bench.token.registrationCount == 0)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesToken }, Release.allCases.filter { $0 != .derivedFinished })
    func `the target of a link is released with the link`(_ combinator: StreamCombinator, _ release: Release) {
        let (bench, clock) = (Bench(), ManualContext())
        let source = bench.promise.value!.stream
        let watch = Watch { probe in
            combinator.apply(to: source, clock: clock, under: bench.token)
                .onComplete(context: immediate) { _ in probe.use() }
        }
        source.success(1)
        #expect(!watch.isReleased)
        release.happen(to: bench, source, source)
        clock.advance(by: .seconds(1))
        #expect(watch.isReleased)
        #expect(clock.pendingCount == 0)
        #expect(bench.token.registrationCount == 0)
    }

    @Test(arguments: [true, false], [0, 1])
    func `a callback that unsubscribes itself gets and retains no more elements`(_ isByToken: Bool, _ others: Int) {
        let (token, runs) = (CancelToken(), Box(0))
        let stream = FutureStream<Probe>(capacity: 0)
        for _ in 0..<others { stream.onSuccess(context: immediate) { _ in } }
        stream.onSuccess(context: immediate, cancelToken: token) { _ in
            runs.increment()
            if isByToken { token.cancel() } else { stream.cancel(token) }
        }
        // The element of the current call and a later one.
        #expect(Watch { stream.success($0) }.isReleased)
        #expect(Watch { stream.success($0) }.isReleased)
        #expect(runs.value == 1)
        #expect(stream.core.subscriberCount == others)
    }

    @Test func `releasing a struct around a manual context releases the captures of its tasks`() {
        let task = Watch { probe in
            let stream = FutureStream<Int>()
            stream.onSuccess(context: Through(context: ManualContext())) { _ in probe.use() }
            stream.success(1)
        }
        #expect(task.isReleased)
    }

    @Test(arguments: Release.allCases)
    func `a context is released when the work on it has ended`(_ release: Release) {
        let bench = Bench()
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

    @Test func `a context that drops its task breaks derived streams`() {
        let source = FutureStream<Int>()
        let watch = Watch { probe in
            source.onSuccess(context: DroppingContext()) { _ in probe.use() }
            source.onFinish(context: DroppingContext()) { probe.use() }
        }
        let mapped = source.map(context: DroppingContext()) { $0 }
        let recovered = source.recover(context: DroppingContext()) { _ in 1 }
        let flattened = source.flatMap(context: DroppingContext()) { FutureStream(value: $0) }
        let log = mapped.heard()
        source.success(1)
        for derived in [mapped, recovered, flattened] { #expect(derived.state == [.broken, .finish]) }
        #expect(log.all == [.broken, .finish])
        #expect(watch.isReleased)
        #expect(source.core.subscriberCount == 0)
        source.success(2)
        #expect(source.state == [1, 2])
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

    @Test func `a stream that has ended before it has all its sources is released, and so is its token`() {
        weak var core: StreamCore?
        let watch = Watch { probe in
            let (ended, token) = (FutureStream<Int>(), CancelToken())
            token.onCancel { probe.use() }
            ended.finish()
            core = ended.zip(FutureStream<Int>()).core
            _ = ended.zip(FutureStream<Int>(), cancelToken: token)
        }
        #expect(core == nil)
        #expect(watch.isReleased)
    }

    /// The event that ends a link.
    enum Release: CaseIterable, Sendable {
        case finished, promiseReleased, tokenCancelled, detached, derivedFinished

        fileprivate func happen(to bench: Bench, _ source: FutureStream<Int>, _ derived: FutureStream<Int>) {
            switch self {
            case .finished: bench.promise.value?.finish()
            case .promiseReleased: bench.promise.value = nil
            case .tokenCancelled: bench.token.cancel()
            case .detached: source.cancel(bench.token)
            case .derivedFinished: derived.finish()
            }
        }
    }

    fileprivate final class Bench: Sendable {
        let promise = Box<StreamPromise<Int>?>(StreamPromise())
        let token = CancelToken()
    }
}

private struct ProbedContext: ExecutionContext {
    let probe: Probe

    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}
