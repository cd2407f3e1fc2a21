import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("QueueContext", .watchdog)
struct QueueContextTests {
    @Test func `main, global and mainImmediate use the queues of that name`() {
        #expect(QueueContext.main.queue.queue.isMain)
        #expect(QueueContext.mainImmediate.queue.queue.isMain)
        #expect(QueueContext.global.queue.queue.isGlobalUtility)
    }

    @Test func `callbacks run on its queue`() async {
        let context = SerialContext()
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 3)
        let future = Future(value: ())
        let onQueue = future.map(context: QueueContext(queue: Queue(queue))) { DispatchQueue.getSpecific(key: key) }
        #expect(await onQueue.end() == .success(3))
        let there = future.map(context: context) { context.isCurrent }
        #expect(await there.end() == .success(true))
    }

    @Test func `callbacks run on a queue passed as a context`() async {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 3)
        let onQueue = Future(value: ()).map(context: queue) { DispatchQueue.getSpecific(key: key) }
        #expect(await onQueue.end() == .success(3))
    }

    @Test func `execute runs a task on the queue`() async {
        let contexts: [any ExecutionContext] = [
            QueueContext(queue: Queue("test")), QueueContext.global, QueueContext.main, DispatchQueue(label: "test"),
        ]
        for context in contexts {
            await withCheckedContinuation { done in context.execute { done.resume() } }
        }
    }

    @Test func `callbacks keep their order on a serial queue`() {
        let queue = DispatchQueue(label: "test")
        let log = Log<Int>()
        let future = Future<Int>()
        for number in 0..<100 { future.onSuccess(context: queue) { _ in log.add(number) } }
        future.success(1)
        for number in 100..<200 { future.onSuccess(context: queue) { _ in log.add(number) } }
        queue.sync {}
        #expect(log.all == Array(0..<200))
    }

    @Test func `main runs callbacks on the main queue, later`() async {
        let order = await onMain { () -> Log<String> in
            let log = Log<String>()
            Future(value: 1).onSuccess(context: QueueContext.main) { _ in
                log.add(MainQueue.isCurrent ? "main" : "elsewhere")
            }
            log.add("registered")
            return log
        }
        await onMain {}
        #expect(order.all == ["registered", "main"])
    }

    @Test func `current is main on the main queue, and global elsewhere`() async {
        #expect(await onMain { QueueContext.current.queue.queue.isMain })
        #expect(await onThread { QueueContext.current.queue.queue.isGlobalUtility })
        let elsewhere = DispatchQueue(label: "test")
        #expect(await onThread { elsewhere.sync { QueueContext.current.queue.queue.isGlobalUtility } })
    }

    @Test func `current is evaluated at the call`() async {
        let context = await onMain { QueueContext.current }
        let onMainQueue = Future(value: ()).map(context: context) { MainQueue.isCurrent }
        #expect(await onMainQueue.end() == .success(true))
    }

    // In a separate process, because there is one default per process.
    @Test func `the default is main, and can be set`() async {
        await #expect(processExitsWith: .success) {
            #expect((QueueContext.futuresDefault as? QueueContext)?.queue.queue.isMain == true)
            let context = ManualContext()
            QueueContext.futuresDefault = context
            #expect(QueueContext.futuresDefault as? ManualContext === context)
            let future = Future(value: 1)
            let log = Log<Int>()
            future.onSuccess { log.add($0) }
            let early = future.map { $0 + 1 }.delay(.seconds(1))
            QueueContext.futuresDefault = ImmediateContext()
            future.onSuccess { log.add(-$0) }
            #expect(log.all == [-1])
            context.run()
            #expect(log.all == [-1, 1])
            #expect(early.ended == .pending)
            context.advance(by: .seconds(1))
            #expect(early.ended == .success(2))
        }
    }

    @Test func `a replaced default is released`() async {
        await #expect(processExitsWith: .success) {
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
