import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A stream whose source is isolated to an actor", .watchdog)
struct StreamSourceIsolationTests {
    @Test @MainActor func `on the main actor the source starts and stops there, later`() async {
        let manager = Manager()
        let stream = manager.numbers()
        #expect(manager.log == [])
        let leave = Listening.success.begin(on: stream)
        #expect(manager.log == [])
        await until { manager.log == ["start"] }
        leave()
        #expect(manager.log == ["start"])
        await until { manager.log == ["start", "stop"] }
        #expect(manager.handler == nil)
    }

    @Test @MainActor func `subscribers off the actor receive all elements from the first one on`() async {
        let manager = Manager()
        let stream = manager.numbers()
        let heard = Box<[Int]>([])
        await Task.detached {
            stream.onSuccess(context: immediate) { number in heard.append(number) }
        }.value
        await until { manager.handler != nil }
        manager.handler?(1)
        manager.handler?(2)
        #expect(heard.value == [1, 2])
        stream.finish()
        await until { manager.log == ["start", "stop"] }
    }

    @Test @MainActor func `with a replay buffer it starts without a subscriber and stops when the stream is released`()
        async
    {
        let manager = Manager()
        var stream: FutureStream? = manager.numbers(capacity: 1)
        await until { manager.log == ["start"] }
        manager.handler?(1)
        #expect(stream?.count == 1)
        stream = nil
        await until { manager.log == ["start", "stop"] }
    }

    @Test @MainActor func `a cancellation, an unsubscription or a release before the actor runs prevents the start`()
        async
    {
        let (manager, token) = (Manager(), CancelToken())
        let cancelled = manager.numbers(capacity: 1, cancelToken: token)
        cancelled.onSuccess(context: immediate) { _ in }
        token.cancel()
        #expect(cancelled.isCancelled)
        _ = manager.numbers(capacity: 1)
        let stream = manager.numbers()
        Listening.success.begin(on: stream)()
        await mainQueueIsDone()
        #expect(manager.log == [])
        let leave = Listening.success.begin(on: stream)
        await mainQueueIsDone()
        #expect(manager.log == ["start"])
        leave()
        await mainQueueIsDone()
        #expect(manager.log == ["start", "stop"])
    }

    @Test @MainActor func `a dropped stream is kept for its subscribers until the actor runs`() async {
        let (manager, token) = (Manager(), CancelToken())
        let heard = Box<[Int]>([])
        manager.numbers(cancelToken: token).onSuccess(context: immediate) { number in heard.append(number) }
        await until { manager.handler != nil }
        manager.handler?(1)
        #expect(heard.value == [1])
        token.cancel()
        await until { manager.log == ["start", "stop"] }
    }

    @Test @MainActor func `nothing is emitted after the last subscriber has left`() async {
        let manager = Manager()
        let stream = manager.numbers(capacity: 5)
        let leave = Listening.success.begin(on: stream)
        await until { manager.handler != nil }
        manager.handler?(1)
        leave()
        // The actor has not run the stop yet.
        manager.handler?(2)
        #expect(stream.count == 1)
        await mainQueueIsDone()
        #expect(manager.log == ["start", "stop"])
    }

    @Test @MainActor func `a subscription before the actor has run the stop starts the source again`() async {
        let manager = Manager()
        let stream = manager.numbers()
        let leave = Listening.success.begin(on: stream)
        await until { manager.log == ["start"] }
        leave()
        let heard = Box<[Int]>([])
        stream.onSuccess(context: immediate) { number in heard.append(number) }
        await until { manager.log == ["start", "stop", "start"] }
        manager.handler?(1)
        #expect(heard.value == [1])
        stream.finish()
    }

    @Test @MainActor func `an error of the start is a failure, then the stream finishes`() async {
        let stream = FutureStream<Int>(
            capacity: 1,
            isolated: { _ -> CancelAction? in
                MainActor.assertIsolated()
                throw Failure()
            })
        var errors: [(any Error)?] = []
        for await result in stream.results { errors.append(result.error) }
        #expect(errors.count == 1 && errors[0] is Failure)
        #expect(stream.isFinished)
    }

    @Test func `on another actor it starts and stops there, alternately`() async {
        let station = Station()
        for _ in 0..<20 {
            let stream = await station.numbers()
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 {
                            let leave = Listening.success.begin(on: stream)
                            await Task.yield()
                            leave()
                        }
                    }
                }
            }
            var iterator = stream.results.makeAsyncIterator()
            #expect(await iterator.next()?.value == 1)
            stream.finish()
            while await station.isRunning { await Task.yield() }
        }
        #expect(await station.errors == 0)
    }

    @Test func `without an actor it starts and stops at once`() {
        let log = Box<[String]>([])
        let kept = Box<StreamEmitter<Int>?>(nil)
        let stream = FutureStream<Int>(
            capacity: 0,
            isolated: { emitter in
                log.append("start")
                kept.value = emitter
                return CancelAction(isolated: { log.append("stop") })
            })
        Listening.success.begin(on: stream)()
        #expect(log.value == ["start", "stop"])
    }

    @Test(arguments: [true, false])
    @MainActor func `the captures of an isolated action are released on its actor`(isCanceled: Bool) async {
        let log = Box<[Bool]>([])
        func make() -> CancelAction {
            let (object, captured) = (AtRelease(log), AtRelease(log))
            return CancelAction(keeping: object, isolated: { withExtendedLifetime(captured) {} })
        }
        let action = Box<CancelAction?>(make())
        await Task.detached {
            if isCanceled { action.value?.cancel() }
            action.value = nil
        }.value
        await until { log.value.count == 2 }
        #expect(log.value == [true, true])
    }

    @Test @MainActor func `an isolated action runs later on its actor, whatever thread cancels it, and is released`()
        async
    {
        let runs = Tally()
        let alive = Tally()
        var action: CancelAction? = CancelAction(isolated: { [captive = Captive(alive)] in
            captive.touch()
            MainActor.assertIsolated()
            runs.add()
        })
        action?.cancel()
        #expect(runs.count == 0)
        await mainQueueIsDone()
        #expect(runs.count == 1)
        await Task.detached { [action] in action?.cancel() }.value
        await mainQueueIsDone()
        #expect(runs.count == 2)
        action = nil
        await until { alive.count == 0 }
    }

    @Test @MainActor func `the manager is released with its stream`() async {
        weak var weakManager: Manager?
        for listens in [true, false] {
            do {
                let manager = Manager()
                weakManager = manager
                let stream = manager.numbers(capacity: 1)
                if listens { Listening.success.begin(on: stream)() }
                await mainQueueIsDone()
            }
            await mainQueueIsDone()
            #expect(weakManager == nil, "\(listens)")
        }
    }
}

/// A source that is not `Sendable`.
private final class Manager {
    private(set) var log: [String] = []
    private(set) var handler: ((Int) -> Void)?

    func start(_ handler: @escaping (Int) -> Void) {
        log.append("start")
        self.handler = handler
    }

    func stop() {
        log.append("stop")
        handler = nil
    }

    @MainActor func numbers(capacity: Int = 0, cancelToken: CancelToken = .none) -> FutureStream<Int> {
        FutureStream(
            capacity: capacity, cancelToken: cancelToken,
            isolated: { emitter in
                MainActor.assertIsolated()
                self.start { emitter.success($0) }
                return CancelAction(isolated: {
                    MainActor.assertIsolated()
                    self.stop()
                })
            })
    }
}

private actor Station {
    private(set) var isRunning = false
    private(set) var errors = 0
    private var emitter: StreamEmitter<Int>?

    func numbers() -> FutureStream<Int> {
        FutureStream(
            capacity: 0,
            isolated: { emitter in
                self.assertIsolated()
                if self.isRunning { self.errors += 1 }
                self.isRunning = true
                self.emitter = emitter
                emitter.success(1)
                return CancelAction(isolated: {
                    self.assertIsolated()
                    if !self.isRunning { self.errors += 1 }
                    self.isRunning = false
                    self.emitter = nil
                })
            })
    }
}

/// Records whether it is released on the main queue.
private final class AtRelease: Sendable {
    private let log: Box<[Bool]>

    init(_ log: Box<[Bool]>) { self.log = log }

    deinit { log.append(MainQueue.isCurrent) }
}

/// Returns when the main queue has run everything that was dispatched to it before, and what that has dispatched.
private func mainQueueIsDone() async {
    for _ in 0..<3 { await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } } }
}
