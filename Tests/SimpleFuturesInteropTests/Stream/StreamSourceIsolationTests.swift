import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@MainActor @Suite("A stream whose source is isolated to an actor", .watchdog)
struct StreamSourceIsolationTests {
    private let manager = Manager()
    private let heard = Box<[String]>([])

    @Test func `a nested event loop inside an emission stops the source`() {
        let (loop, token, stops) = (ManualContext(), CancelToken(), Box(0))
        let emitter = Box<StreamEmitter<Int>?>(nil)
        let stream = FutureStream<Int>(capacity: 0, cancelToken: token, context: loop) { new in
            emitter.value = new
            return CancelAction { stops.increment() }
        }
        stream.onSuccess(context: immediate) { _ in
            token.cancel()
            loop.run()
        }
        loop.run()
        emitter.value?.success(1)
        #expect(stops.value == 1)
    }

    @Test func `the source starts and stops on the main actor, later, and subscribers may be elsewhere`() async {
        let (stream, token) = (manager.numbers(), CancelToken())
        let leave = Listening.success.begin(on: stream)
        #expect(manager.log == [])
        await Task.detached { [heard] in stream.words(to: heard, cancelToken: token) }.value
        await until { manager.log == ["start"] }
        manager.handler?(1)
        manager.handler?(2)
        #expect(heard.value == ["1", "2"])
        leave()
        token.cancel()
        #expect(manager.log == ["start"])
        await until { manager.log == ["start", "stop"] }
        #expect(manager.handler == nil)
        stream.finish()
    }

    @Test(arguments: ["held weakly", "held by the handle", "used", "finished", "stopped"])
    func `a delegate with the emitter that nothing holds is reported`(_ delegate: String) {
        final class Delegate: Sendable {
            let emitter: StreamEmitter<Int>
            init(_ emitter: StreamEmitter<Int>) { self.emitter = emitter }
        }
        let token = CancelToken()
        let reports = Reports.during { reports in
            FutureStream<Int>(capacity: 0, cancelToken: token, fileID: "Delegates.swift", line: 1) { emitter in
                let object = Delegate(emitter)
                switch delegate {
                case "held by the handle": return CancelAction(keeping: object) {}
                case "used": object.emitter.success(1)
                case "finished": object.emitter.finish()
                case "stopped": token.cancel()
                default: break
                }
                return nil
            }.words(to: heard)
            return reports.about(CreationSite(fileID: "Delegates.swift", line: 1))
        }
        let site = CreationSite(fileID: "Delegates.swift", line: 1)
        #expect(reports == (delegate == "held weakly" ? [.emitterReleased(createdAt: site)] : []))
        let end = ["held by the handle": [], "stopped": ["cancel"], "used": ["1", "finish"]]
        #expect(heard.value == end[delegate] ?? ["finish"])
    }

    @Test(arguments: ["released", "left"])
    func `with replay it starts without a subscriber, and stops when released or left`(_ event: String) async {
        var stream: FutureStream? = manager.numbers(capacity: 5)
        await until { manager.log == ["start"] }
        manager.handler?(1)
        #expect(stream?.count == 1)
        if event == "released" {
            stream = nil
        } else if let stream {
            Listening.success.begin(on: stream)()
            // The actor has not run the stop yet.
            manager.handler?(2)
            #expect(stream.count == 1)
        }
        await until { manager.log == ["start", "stop"] }
    }

    @Test func `a cancellation, an unsubscription or a release before the actor runs prevents the start`() async {
        let token = CancelToken()
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

    @Test func `a dropped stream is kept for its subscribers until the actor runs`() async {
        let token = CancelToken()
        manager.numbers(cancelToken: token).words(to: heard)
        await until { manager.handler != nil }
        manager.handler?(1)
        #expect(heard.value == ["1"])
        token.cancel()
        await until { manager.log == ["start", "stop"] }
    }

    @Test func `a subscription before the actor has run the stop starts the source again`() async {
        let stream = manager.numbers()
        let leave = Listening.success.begin(on: stream)
        await until { manager.log == ["start"] }
        leave()
        stream.words(to: heard)
        await until { manager.log == ["start", "stop", "start"] }
        manager.handler?(1)
        #expect(heard.value == ["1"])
        stream.finish()
    }

    @Test func `a source that need not be stopped starts on the actor, and its closure returns nothing`() async {
        let stream = FutureStream<Int>(
            capacity: 1,
            isolated: { emitter in
                MainActor.assertIsolated()
                manager.start { emitter.success($0) }
            })
        await until { manager.handler != nil }
        manager.handler?(1)
        manager.stop()
        #expect(await stream.words() == ["1", "end"])
        let thrown = FutureStream<Int>(capacity: 1, isolated: { _ in throw Failure() })
        #expect(await thrown.words() == ["failure", "end"])
    }

    @Test nonisolated func `on another actor it starts and stops there, alternately`() async {
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

    @Test nonisolated func `without an actor it starts and stops at once`() {
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
    func `an isolated action runs later on its actor, and is released there, from any thread`(isCanceled: Bool) async {
        let (runs, releases) = (Tally(), Box<[Bool]>([]))
        func make() -> CancelAction {
            let objects = (0..<2).map { _ in AtDeinit { releases.append(MainQueue.isCurrent) } }
            return CancelAction(
                keeping: objects[0],
                isolated: { [captured = objects[1]] in
                    captured.use()
                    MainActor.assertIsolated()
                    runs.add()
                })
        }
        let action = Box<CancelAction?>(make())
        if isCanceled {
            action.value?.cancel()
            #expect(runs.count == 0)
            await mainQueueIsDone()
            #expect(runs.count == 1)
        }
        await Task.detached {
            if isCanceled { action.value?.cancel() }
            action.value = nil
        }.value
        await until { releases.value.count == 2 }
        #expect(releases.value == [true, true])
        #expect(runs.count == (isCanceled ? 2 : 0))
    }

    @Test func `the manager is released with its stream`() async {
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

/// Returns when the main queue has run everything that was dispatched to it before, and what that has dispatched.
private func mainQueueIsDone() async {
    for _ in 0..<3 { await onMain {} }
}
