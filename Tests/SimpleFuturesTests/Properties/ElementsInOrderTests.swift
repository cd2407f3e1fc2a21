import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 4: elements of a stream one after the other, to one subscriber after the other", .watchdog)
struct ElementsInOrderTests {
    @Test(arguments: SharedContext.allCases, [true, false])
    func `onSuccess and onFailure see success, failure, success`(_ shared: SharedContext, _ isHistory: Bool) {
        let (first, second, queue) = shared.make()
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        func emit() {
            stream.success(1)
            stream.failure(Failure())
            stream.success(2)
        }
        queue?.suspend()
        if isHistory { emit() }
        stream.onSuccess(context: first) { log.add("success \($0)") }
        stream.onFailure(context: second) { _ in log.add("failure") }
        stream.onComplete(context: first) { log.add($0.isSuccess() ? "complete" : "incomplete") }
        if !isHistory { emit() }
        queue?.resume()
        settle(first, queue)
        #expect(log.all == ["success 1", "complete", "failure", "incomplete", "success 2", "complete"])
    }

    @Test(arguments: SharedContext.allCases)
    func `a late subscriber catches up before the others get the next element`(_ shared: SharedContext) {
        let (context, _, queue) = shared.make()
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        stream.success(1)
        stream.success(2)
        stream.onSuccess(context: context) { log.add("a\($0)") }
        settle(context, queue)
        queue?.suspend()
        stream.onSuccess(context: context) { log.add("b\($0)") }
        stream.success(3)
        queue?.resume()
        settle(context, queue)
        #expect(log.all == ["a1", "a2", "b1", "b2", "a3", "b3"])
    }

    @Test func `during a wait, too, the callbacks that an element has caused run before the next element`() {
        let (stream, caused, last, heard) = (FutureStream<Int>(capacity: 0), Future<Void>(), Promise<Int>(), Log<Int>())
        caused.onSuccess(context: immediate) { heard.add(-1) }
        stream.onSuccess(context: immediate) {
            guard $0 == 0 else { return }
            for number in 1...2 { stream.success(number) }
            #expect(last.future.awaitedValue == 2)
        }
        stream.onSuccess(context: immediate) {
            heard.add($0)
            if $0 == 1 { caused.success() }
            if $0 == 2 { last.success(2) }
        }
        stream.success(0)
        stream.finish()
        #expect(heard.all == [0, 1, -1, 2])
    }

    private func settle(_ context: any ExecutionContext, _ queue: DispatchQueue?) {
        queue?.sync {}
        (context as? ManualContext)?.run()
    }

    @Test func `on the main queue, main and mainImmediate callbacks keep their order`() {
        let (stream, log, done) = (FutureStream<Int>(), Log<String>(), Signal())
        DispatchQueue.main.async {
            stream.onSuccess(context: QueueContext.mainImmediate) { log.add("i\($0)") }
            stream.onSuccess(context: QueueContext.main) { log.add("m\($0)") }
            stream.onSuccess(context: DispatchQueue.main) { log.add("d\($0)") }
            stream.onSuccess(context: QueueContext.mainImmediate) { log.add("j\($0)") }
            stream.success(1)
            log.add("emitted 1")
            stream.success(2)
            log.add("emitted 2")
            stream.onFinish(context: QueueContext.mainImmediate) {
                log.add("finish")
                done.open()
            }
            stream.finish()
            log.add("finished")
        }
        #expect(done.pass())
        #expect(
            log.all == [
                "i1", "emitted 1", "emitted 2", "finished", "m1", "d1", "j1", "i2", "m2", "d2", "j2", "finish",
            ])
    }

    @Test func `mainImmediate alone runs at once on the main queue, and is dispatched from other threads`() {
        let (stream, log, done) = (FutureStream<Int>(), Log<Int>(), Signal())
        stream.onSuccess(context: QueueContext.mainImmediate) { value in
            log.add(MainQueue.isCurrent ? value : -1)
            if value == 4 { done.open() }
        }
        stream.success(1)
        DispatchQueue.main.async {
            // Elements that are already dispatched come first.
            stream.success(2)
            DispatchQueue.main.async {
                stream.success(3)
                log.add(30)
                stream.success(4)
            }
        }
        #expect(done.pass())
        #expect(log.all == [1, 2, 3, 30, 4])
    }

    @Test(arguments: [1, 3])
    func `a queue runs other work after 64 elements`(_ subscribers: Int) {
        let queue = DispatchQueue(label: "busy")
        let (stream, log, done) = (FutureStream<Int>(), Log<Int>(), Signal())
        queue.suspend()
        for _ in 0..<subscribers { stream.onSuccess(context: queue) { log.add($0) } }
        for value in 1...200 { stream.success(value) }
        queue.async { log.add(-1) }
        queue.resume()
        stream.onFinish(context: queue) { done.open() }
        stream.finish()
        #expect(done.pass())
        #expect(log.all.firstIndex(of: -1) == 64 * subscribers)
        #expect(log.all.count == 200 * subscribers + 1)
    }

    @Test func `elements without a callback count`() {
        let context = ManualContext()
        let (stream, log) = (FutureStream<Int>(), Log<Int>())
        stream.onSuccess(context: context) { log.add($0) }
        for _ in 1...64 { stream.failure(Oops.source) }
        stream.success(1)
        context.execute { log.add(-1) }
        context.run()
        #expect(log.all == [-1, 1])
    }

    @Test func `one task delivers up to 64 elements`() {
        let (context, stream, log) = (ManualContext(), FutureStream<Int>(), Log<Int>())
        stream.onSuccess(context: context) { log.add($0) }
        for value in 1...130 { stream.success(value) }
        var counts: [Int] = []
        while context.pendingCount == 1, context.runNext() { counts.append(log.count) }
        #expect(counts == [64, 128, 130])
    }
}

/// The context shared by subscribers whose calls must be in order.
enum SharedContext: CaseIterable, Sendable {
    case queue, queueContext, serialClass, emptyStruct, structOfQueue, manual

    /// Returns a copy for each of two subscribers, and the queue of its tasks unless the context keeps them.
    func make() -> (first: any ExecutionContext, second: any ExecutionContext, queue: DispatchQueue?) {
        let queue = DispatchQueue(label: "serial")
        switch self {
        case .queue: return (queue, queue, queue)
        case .queueContext: return (QueueContext(queue: Queue(queue)), queue, queue)
        case .serialClass:
            let context = QueueClass(queue: queue)
            return (context, context, queue)
        case .emptyStruct: return (StaticContext(), StaticContext(), StaticContext.queue)
        case .structOfQueue:
            let context = OwnContext()
            return (context, context, context.queue)
        case .manual:
            let context = ManualContext()
            return (context, context, nil)
        }
    }
}

/// A class around a queue, which code outside knows.
final class QueueClass: ExecutionContext {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
}

private struct StaticContext: ExecutionContext, Hashable {
    static let queue = DispatchQueue(label: "static")

    func execute(_ task: @escaping @Sendable () -> Void) { Self.queue.async(execute: task) }
}
