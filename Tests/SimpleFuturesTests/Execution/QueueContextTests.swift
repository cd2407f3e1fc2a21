import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("QueueContext", .watchdog)
struct QueueContextTests {
    @Test func `each constant uses the queue of its name, and short names mean the same`() {
        func named(_ context: any ExecutionContext) -> DispatchQueue? { (context as? QueueContext)?.queue.queue }
        #expect(QueueContext.mainImmediate.queue.queue.isMain && QueueContext.main.queue.queue.isMain)
        #expect(QueueContext.global.queue.queue.isGlobalUtility)
        #expect(named(.main)?.isMain == true && named(.mainImmediate)?.isMain == true)
        #expect(named(.global) === QueueContext.global.queue.queue)
        #expect(named(.current) === QueueContext.current.queue.queue)
        let immediate: any ExecutionContext = .immediate
        #expect(immediate is ImmediateContext)
    }

    @Test(arguments: [true, false])
    func `callbacks, tasks and timers run on the queue, also if that is the context itself`(isItself: Bool) async {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 3)
        let context: any ExecutionContext = isItself ? queue : QueueContext(queue: Queue(queue))
        let look: @Sendable () -> Int? = { DispatchQueue.getSpecific(key: key) }
        #expect(await Future(value: ()).map(context: context) { look() }.end() == .success(3))
        let ofTask = await withCheckedContinuation { done in context.execute { done.resume(returning: look()) } }
        #expect(ofTask == 3)
        let ofTimer = await withCheckedContinuation { done in
            context.execute(after: .zero) { done.resume(returning: look()) }
        }
        #expect(ofTimer == 3)
    }

    @Test func `main runs callbacks on the main queue, later`() async {
        let log = Log<String>()
        await onMain {
            Future(value: 1).onSuccess(context: QueueContext.main) { _ in
                log.add(MainQueue.isCurrent ? "main" : "elsewhere")
            }
            log.add("registered")
        }
        await onMain {}
        #expect(log.all == ["registered", "main"])
    }

    @Test func `current is main on the main queue, and global elsewhere, when it is called`() async {
        let context = await onMain { QueueContext.current }
        #expect(context.queue.queue.isMain)
        #expect(await Future(value: ()).map(context: context) { MainQueue.isCurrent }.end() == .success(true))
        #expect(await onThread { QueueContext.current.queue.queue.isGlobalUtility })
        let elsewhere = DispatchQueue(label: "test")
        #expect(await onThread { elsewhere.sync { QueueContext.current.queue.queue.isGlobalUtility } })
    }

    // In a separate process, because there is one default per process.
    @Test func `the default is main, and can be set; a replaced one is released`() async {
        await #expect(processExitsWith: .success) {
            #expect((QueueContext.futuresDefault as? QueueContext)?.queue.queue.isMain == true)
            let context = ManualContext()
            QueueContext.futuresDefault = context
            #expect(QueueContext.futuresDefault as? ManualContext === context)
            let ofQueues: QueueContext = .futuresDefault
            #expect(ofQueues.queue.queue.isMain)
            let future = Future(value: 1)
            let log = Log<Int>()
            future.onSuccess { log.add($0) }
            let early = future.map { $0 + 1 }.delay(.seconds(1))
            let source = Future<Int>()
            let late = source.timeout(.seconds(1))
            QueueContext.futuresDefault = ImmediateContext()
            future.onSuccess { log.add(-$0) }
            #expect(log.all == [-1])
            context.run()
            #expect(log.all == [-1, 1])
            #expect(early.ended == .pending)
            context.advance(by: .seconds(1))
            #expect(early.ended == .success(2))
            #expect(late.ended == .failure(FuturesError.timedOut))
            #expect(source.observerCount == 0)
            let watch = Watch { probe in
                struct Context: ExecutionContext {
                    let probe: Probe
                    func execute(_ task: @escaping @Sendable () -> Void) { task() }
                }
                QueueContext.futuresDefault = Context(probe: probe)
            }
            #expect(!watch.isReleased)
            QueueContext.futuresDefault = QueueContext.main
            #expect(watch.isReleased)
        }
    }
}

@Suite("QueueContext.mainImmediate", .watchdog)
struct MainImmediateTests {
    private static let context = QueueContext.mainImmediate
    private let log = Log<Int>()

    @Test(arguments: [true, false])
    func `on the main queue or actor a callback or task runs at once`(isActor: Bool) async {
        let work: @Sendable () -> Void = {
            let future = Future<Int>()
            future.onSuccess(context: Self.context) { log.add($0) }
            future.success(1)
            future.onSuccess(context: .mainImmediate) { log.add($0 + 1) }
            Self.context.execute { log.add(3) }
            log.add(4)
        }
        if isActor { await MainActor.run { work() } } else { await onMain(work) }
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test func `from another thread a callback or task is dispatched to the main queue`() async {
        let onMainQueue = Future(value: ()).map(context: Self.context) { MainQueue.isCurrent }
        #expect(await onMainQueue.end() == .success(true))
        let isMain = await withCheckedContinuation { done in
            Self.context.execute { done.resume(returning: MainQueue.isCurrent) }
        }
        #expect(isMain)
    }

    @Test func `it does not wait for callbacks of other futures`() async {
        await onMain {
            Future(value: ()).onSuccess(context: QueueContext.main) { log.add(1) }
            Future(value: ()).onSuccess(context: Self.context) { log.add(2) }
        }
        await onMain {}
        #expect(log.all == [2, 1])
    }

    @Test func `the closure of find waits for earlier callbacks of its input, as any callback does`() async {
        await onMain {
            let future = Future(value: 1)
            future.onSuccess(context: QueueContext.main) { log.add($0) }
            _ = [future].find(context: Self.context) {
                log.add($0 + 1)
                return true
            }
        }
        await onMain {}
        #expect(log.all == [1, 2])
    }

    @Test func `once the main queue has run the future's callbacks, new ones run at once again`() async {
        let future = Future(value: ())
        await onMain { future.onSuccess(context: QueueContext.main) { log.add(1) } }
        await onMain {
            future.onSuccess(context: Self.context) { log.add(2) }
            log.add(3)
        }
        #expect(log.all == [1, 2, 3])
    }
}

@Suite("Queue", .watchdog)
struct QueueTests {
    @Test func `main and global are the queues of that name, and others are created from a name or queue`() {
        #expect(Queue.main.queue.isMain)
        #expect(Queue.global.queue.isGlobalUtility)
        #expect(Queue("us.gnos.myqueue").queue.label == "us.gnos.myqueue")
        let queue = DispatchQueue(label: "mine")
        #expect(Queue(queue).queue === queue)
    }

    @Test func `sync runs a closure before it returns, and returns its value or throws its error`() {
        let log = Log<Int>()
        Queue("test").sync { log.add(1) }
        #expect(log.all == [1])
        let value = Queue("test").sync { 3 }
        #expect(value == 3)
        #expect(throws: Oops.thrown) { try Queue("test").sync { throw Oops.thrown } }
        #expect(throws: Oops.thrown) { try Queue("test").sync { () -> Int in throw Oops.thrown } }
    }
}
