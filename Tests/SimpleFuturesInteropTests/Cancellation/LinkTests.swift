import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Many that are short-lived, on one token, future, stream or actor that lives on: afterwards nothing is registered any
// more, and what their closures have captured is gone. With SIMPLEFUTURES_STRESS=200 it is a hundred thousand of each.

@Suite("Links vanish when the work ends", .watchdog)
struct LinkTests {
    @Test(arguments: Link.allCases)
    func `many that come and go leave nothing behind`(_ link: Link) async {
        let road = Road()
        let before = road.registrations
        // A few at a time, so that not all of them are there at once.
        for _ in 0..<Stress.rounds(5) {
            for _ in 0..<100 { await road.pass(link) }
            await until { road.alive.count == 0 }
        }
        await until { road.registrations == before }
        #expect(road.alive.count == 0)
        #expect(road.token.registrationCount == 0)
        #expect(road.idle.observerCount == 0)
        #expect(road.stream.core.subscriberCount == 0)
        #expect(!road.token.isCancelled)
    }

    @Test(arguments: Link.allCases)
    func `many that end together leave nothing behind`(_ link: Link) async {
        let road = Road()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<Stress.rounds(50) { await road.pass(link) } }
            }
        }
        await until { road.alive.count == 0 && road.registrations == [0, 0, 0] }
        #expect(road.alive.count == 0)
        #expect(road.registrations == [0, 0, 0])
    }

    @Test func `what hangs on a task that lives on is released with the task`() async {
        let road = Road()
        let gate = Promise<Void>()
        let task = Task { [captive = Captive(road.alive)] in
            captive.touch()
            _ = await gate.future.outcome
        }
        for _ in 0..<Stress.rounds(100) {
            let captive = Captive(road.alive)
            road.token.cancel(task).cancel()
            CancelToken().cancel(task)
            task.future.onSuccess(context: ImmediateContext()) { captive.touch() }
        }
        #expect(road.token.registrationCount == 0)
        gate.success()
        await until { road.alive.count == 0 }
        #expect(!task.isCancelled)
    }
}

/// What comes and goes.
enum Link: String, CaseIterable, Sendable {
    // On a token.
    case future, failingFuture, promise, run, failingRun, cancelTask, cancelTaskByHand, cancelEndedTask
    case cancellation, childCancellation, callback, cancelledCallback
    case method, brokenMethod, throwingMethod
    case isolatedSuccess, isolatedCompletion
    case map, flatMap, recover, forEach, failedMap
    case mapOfStream, flatMapOfStream, recoverOfStream, forEachOfStream
    // On a future that is never completed.
    case detachedMap, detachedFlatMap, detachedRecover, detachedForEach, detachedIsolated
    case wait, waitAndCancel, completions, brokenOffCompletions, values
    // On a stream that never ends.
    case detachedMapOfStream, detachedFlatMapOfStream, detachedRecoverOfStream, detachedForEachOfStream
    case detachedIsolatedOfStream
}

/// Where they come and go.
private final class Road: Sendable {
    let token = CancelToken()
    let idle = Future<Int>()
    let stream = FutureStream<Int>(capacity: 0)
    let alive = Tally()

    var registrations: [Int] { [token.registrationCount, idle.observerCount, stream.core.subscriberCount] }

    func pass(_ link: Link) async {
        let captive = Captive(alive)
        switch link {
        case .future: _ = await Future(cancelToken: token) { captive.touch() }.outcome
        case .failingFuture:
            _ = await Future(cancelToken: token) { () async throws -> Int in
                captive.touch()
                throw Failure()
            }.outcome
        case .promise:
            let promise = Promise<Void>()
            promise.completeWith(cancelToken: token) { captive.touch() }
            _ = await promise.future.outcome
        case .run: try? await token.run { captive.touch() }
        case .failingRun:
            try? await token.run {
                captive.touch()
                throw Failure()
            }
        case .cancelTask:
            let task = Task { captive.touch() }
            token.cancel(task)
            await task.value
        case .cancelTaskByHand:
            let task = Task { _ = await Self.waiting(captive) }
            token.cancel(task).cancel()
            task.cancel()
        case .cancelEndedTask:
            let task = Task { captive.touch() }
            await task.value
            token.cancel(task)
        case .cancellation:
            let task = Task { [token] in
                captive.touch()
                await token.cancellation
            }
            task.cancel()
            await task.value
        case .childCancellation:
            let child = token.child()
            let task = Task {
                captive.touch()
                await child.cancellation
            }
            child.cancel()
            await task.value
        default: await passMore(link, captive)
        }
    }

    private static func waiting(_ captive: Captive) async -> Int {
        captive.touch()
        return await Future<Int>().outcome.value ?? 0
    }

    private func passMore(_ link: Link, _ captive: Captive) async {
        let here = ImmediateContext()
        switch link {
        case .callback, .cancelledCallback:
            let done = Promise<Void>()
            let handle = callback({ (_: Int?, _: (any Error)?) in done.success() }, context: here) {
                captive.touch()
                return 1
            }
            if link == .cancelledCallback { handle.cancel() }
            _ = await done.future.outcome
        case .method:
            let page: Future<Int> = SimpleFuturesInterop.future(cancelToken: token, onLate: { _ in captive.touch() }) {
                (done: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                done(1, nil)
                return CancelAction { captive.touch() }
            }
            _ = await page.outcome
        case .brokenMethod:
            let page: Future<Int> = SimpleFuturesInterop.future(cancelToken: token, onLate: { _ in captive.touch() }) {
                (_: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                CancelAction { captive.touch() }
            }
            _ = await page.outcome
        case .throwingMethod:
            let page: Future<Int> = SimpleFuturesInterop.future(cancelToken: token, onLate: { _ in captive.touch() }) {
                (_: @escaping @Sendable (Int?, (any Error)?) -> Void) throws -> CancelAction in
                throw Failure()
            }
            _ = await page.outcome
        case .isolatedSuccess, .isolatedCompletion:
            let promise = Promise<Int>()
            await Desk.shared.register(on: promise.future, under: token, captive, link)
            promise.success(1)
        default: await passDerived(link, captive)
        }
    }

    private func passDerived(_ link: Link, _ captive: Captive) async {
        let (promise, elements) = (Promise<Int>(), StreamPromise<Int>(capacity: 0))
        switch link {
        case .map, .failedMap:
            let end = promise.future.asyncMap(cancelToken: token) { _ in captive.touch() }
            promise.complete(link == .map ? .success(1) : .failure(Failure()))
            _ = await end.outcome
        case .flatMap:
            let end = promise.future.asyncFlatMap(cancelToken: token) { value in
                captive.touch()
                return Future(value: value)
            }
            promise.success(1)
            _ = await end.outcome
        case .recover:
            let end = promise.future.asyncRecover(cancelToken: token) { _ in
                captive.touch()
                return 1
            }
            promise.failure(Failure())
            _ = await end.outcome
        case .forEach:
            let end = promise.future.asyncForEach(cancelToken: token) { _ in captive.touch() }
            promise.success(1)
            _ = await end.outcome
        case .mapOfStream:
            await endOf(elements, elements.stream.asyncMap(cancelToken: token) { _ in captive.touch() })
        case .flatMapOfStream:
            await endOf(
                elements,
                elements.stream.asyncFlatMap(cancelToken: token) { value in
                    captive.touch()
                    return Future(value: value)
                })
        case .recoverOfStream:
            await endOf(
                elements,
                elements.stream.asyncRecover(cancelToken: token) { _ in
                    captive.touch()
                    return 1
                })
        case .forEachOfStream:
            let end = elements.stream.asyncForEach(cancelToken: token) { _ in captive.touch() }
            elements.success(1)
            elements.finish()
            _ = await end.outcome
        default: await passDetached(link, captive, token.child())
        }
    }

    private func endOf<T: Sendable>(_ elements: StreamPromise<Int>, _ derived: FutureStream<T>) async {
        elements.success(1)
        elements.failure(Failure())
        elements.finish()
        for await _ in derived.results {}
    }

    private func passDetached(_ link: Link, _ captive: Captive, _ child: CancelToken) async {
        switch link {
        case .detachedMap: idle.asyncMap(cancelToken: child) { _ in captive.touch() }.onSuccess {}
        case .detachedFlatMap:
            _ = idle.asyncFlatMap(cancelToken: child) { value in
                captive.touch()
                return Future(value: value)
            }
        case .detachedRecover:
            _ = idle.asyncRecover(cancelToken: child) { _ in
                captive.touch()
                return 1
            }
        case .detachedForEach: idle.asyncForEach(cancelToken: child) { _ in captive.touch() }
        case .detachedIsolated: await Desk.shared.register(on: idle, under: child, captive, .isolatedSuccess)
        case .detachedMapOfStream: _ = stream.asyncMap(cancelToken: child) { _ in captive.touch() }
        case .detachedFlatMapOfStream:
            _ = stream.asyncFlatMap(cancelToken: child) { value in
                captive.touch()
                return Future(value: value)
            }
        case .detachedRecoverOfStream:
            _ = stream.asyncRecover(cancelToken: child) { _ in
                captive.touch()
                return 1
            }
        case .detachedForEachOfStream: stream.asyncForEach(cancelToken: child) { _ in captive.touch() }
        case .detachedIsolatedOfStream: await Desk.shared.register(on: stream, under: child, captive)
        default: await passWaiting(link, captive)
        }
        child.cancel()
    }

    private func passWaiting(_ link: Link, _ captive: Captive) async {
        let task = Task { [idle, token] in
            captive.touch()
            switch link {
            case .waitAndCancel: _ = try? await idle.value(cancelling: token.child(), onCancel: .abandon)
            case .completions: for await _ in [idle, idle].completions {}
            case .values: for try await _ in [idle, Future(value: 1)].values {}
            case .brokenOffCompletions: for await _ in [idle, Future(value: 1), idle].completions { break }
            default: _ = await idle.outcome
            }
        }
        if link != .brokenOffCompletions { task.cancel() }
        _ = await task.result
    }
}

/// An actor that lives on.
private actor Desk {
    static let shared = Desk()
    private var count = 0

    func register(on future: Future<Int>, under token: CancelToken, _ captive: Captive, _ link: Link) {
        if link == .isolatedSuccess {
            future.onSuccess(cancelToken: token, isolated: { self.take($0, captive) })
        } else {
            future.onComplete(cancelToken: token, isolated: { self.take($0.value ?? 0, captive) })
        }
        future.onFailure(cancelToken: token, isolated: { _ in self.take(0, captive) })
    }

    func register(on stream: FutureStream<Int>, under token: CancelToken, _ captive: Captive) {
        stream.onSuccess(cancelToken: token, isolated: { self.take($0, captive) })
        stream.onFinish(cancelToken: token, isolated: { self.take(0, captive) })
    }

    private func take(_ value: Int, _ captive: Captive) {
        captive.touch()
        count += value
    }
}
