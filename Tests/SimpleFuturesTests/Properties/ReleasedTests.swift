import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 8: callbacks and their captures are released when they can run no more", .watchdog)
struct ReleasedTests {
    private let here = ImmediateContext()

    @Test(arguments: Holder.allCases, Release.allCases)
    func `what a closure has captured is released as soon as it has run or never will`(
        _ holder: Holder, _ release: Release
    ) {
        let bench = ReleaseBench()
        let watch = holder.capture(in: bench)
        #expect(!watch.isReleased)
        release.happen(to: bench)
        #expect(watch.isReleased)
        #expect(bench.manual.timerCount == 0)
        withExtendedLifetime(bench) {}
    }

    @Test func `what a handler has captured is released when the handler has run`() {
        let token = CancelToken()
        let watch = Watch { probe in token.onCancel { probe.use() } }
        token.cancel()
        #expect(watch.isReleased)
    }

    @Test func `what a handler has captured is released when the handler is called off, not with its registration`() {
        let token = CancelToken()
        let kept = Box(Registration())
        let watch = Watch { probe in kept.value = token.onCancel { probe.use() } }
        #expect(kept.value.cancel())
        #expect(watch.isReleased)
        withExtendedLifetime(token) {}
    }

    @Test func `what a handler has captured is released with the token that nobody can cancel any more`() {
        let watch = Watch { probe in
            let token = CancelToken()
            token.onCancel { probe.use() }
        }
        #expect(watch.isReleased)
    }

    @Test func `a token is released when nobody holds it, links and all`() {
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
            // The token takes its handlers with it.
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

    @Test func `the losers of a gathering let go of it`() {
        let loser = Promise<Int>()
        let winner = Promise<Int>()
        let watch = Watch { probe in
            [loser.future, winner.future].sequence().onFailure(context: here) { _ in probe.use() }
        }
        winner.failure(Failure())
        #expect(watch.isReleased)
        #expect(loser.future.observerCount == 0)
    }

    @Test(arguments: [true, false])
    func `a timer is called off when what waited for it has ended`(_ isManual: Bool) {
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

    @Test func `what has timed out no longer hangs on its source`() {
        let manual = ManualContext()
        let promise = Promise<Int>()
        let watch = Watch { probe in
            promise.future.timeout(.seconds(1), context: manual).onComplete(context: here) { _ in probe.use() }
        }
        manual.advance(by: .seconds(1))
        #expect(watch.isReleased)
        #expect(promise.future.observerCount == 0)
    }

    @Test func `a context with pending callbacks keeps no promise alive`() {
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

    @Test func `what was completed otherwise lets go of its sources`() {
        let source = Promise<Int>()
        let target = Promise<Int>()
        let watch = Watch { probe in
            target.completeWith(future: source.future)
            target.future.onComplete(context: here) { _ in probe.use() }
        }
        #expect(source.future.observerCount == 1)
        target.success(1)
        #expect(source.future.observerCount == 0)
        #expect(watch.isReleased)
    }

    @Test func `a timed wait leaves nothing registered`() {
        let promise = Promise<Int>()
        #expect(throws: FuturesError.timedOut) { try promise.future.wait(timeout: .zero) }
        #expect(promise.future.observerCount == 0)
    }

    @Test func `links and handlers of ended work vanish from a token that lives on`() {
        let token = CancelToken()
        for index in 0..<1_000 {
            let promise = Promise<Int>()
            promise.future.map(context: here, cancelToken: token) { $0 }
                .onSuccess(context: ImmediateContext(), cancelToken: token) { _ in }
            token.onCancel {}.cancel()
            if index.isMultiple(of: 2) { promise.success(index) }
        }
        #expect(token.registrationCount == 0)
    }
}

private struct ProbeError: Error {
    let probe: Probe
}

/// What a closure that captures the probe is given to.
enum Holder: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case onComplete, onSuccess, onFailure, onCancelOfDerived, map, flatMap, innerOfFlatMap, recover, delay, timeout
    case completeWith, manualContext

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
            case .map:
                _ = source.map(context: here, cancelToken: token) { value in
                    probe.use()
                    return value
                }
            case .flatMap:
                _ = source.flatMap(context: here, cancelToken: token) { value in
                    probe.use()
                    return Future(value: value)
                }
            case .innerOfFlatMap:
                Future(value: 1).flatMap(context: here, cancelToken: token) { _ in source }
                    .onComplete(context: here) { _ in probe.use() }
            case .recover:
                _ = source.recover(context: here, cancelToken: token) { _ in
                    probe.use()
                    return 1
                }
            case .delay:
                source.delay(.zero, context: bench.manual, cancelToken: token)
                    .onComplete(context: here) { _ in probe.use() }
            case .timeout:
                source.timeout(.seconds(9), context: bench.manual, cancelToken: token)
                    .onComplete(context: here) { _ in probe.use() }
            case .completeWith:
                let target = Promise<Int>()
                target.completeWith(future: source.map(context: here, cancelToken: token) { $0 })
                target.future.onComplete(context: here) { _ in probe.use() }
            case .manualContext: source.onComplete(context: bench.manual, cancelToken: token) { _ in probe.use() }
            }
        }
    }
}

/// What ends it.
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
            // A context may have been asked to run it.
            bench.promise.value?.success(1)
            bench.token.cancel()
            return
        }
        bench.manual.advance(by: .zero)
    }
}

/// The source of what is captured.
final class ReleaseBench: Sendable {
    let promise = Box<Promise<Int>?>(Promise())
    let token = CancelToken()
    let manual = ManualContext()

    func source() -> Future<Int> { promise.value!.future }
}
