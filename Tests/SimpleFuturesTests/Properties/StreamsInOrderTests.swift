import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 4, streams: element by element, and within an element in the order of registration", .watchdog)
struct StreamsInOrderTests {
    /// Registers onSuccess and onFailure, each with a context made for it, and expects them in the order of the
    /// elements.
    private func hear(
        _ stream: FutureStream<Int>, _ log: Log<String>, on first: any ExecutionContext,
        and second: any ExecutionContext
    ) {
        stream.onSuccess(context: first) { log.add("success \($0)") }
        stream.onFailure(context: second) { _ in log.add("failure") }
        stream.onComplete(context: first) { log.add($0.isSuccess() ? "complete" : "incomplete") }
    }

    private func emit(_ stream: FutureStream<Int>) {
        stream.success(1)
        stream.failure(Failure())
        stream.success(2)
    }

    private let expected = ["success 1", "complete", "failure", "incomplete", "success 2", "complete"]

    @Test(arguments: Lane.allCases, [true, false])
    func `onSuccess and onFailure see success, failure, success`(_ lane: Lane, _ isHistory: Bool) {
        let bench = lane.make()
        let stream = FutureStream<Int>()
        let log = Log<String>()
        bench.suspend()
        if isHistory { emit(stream) }
        hear(stream, log, on: bench.first, and: bench.second)
        if !isHistory { emit(stream) }
        bench.resume()
        bench.settle()
        #expect(log.all == expected)
    }

    @Test(arguments: Lane.allCases)
    func `one that joins late comes up with the others before they go on`(_ lane: Lane) {
        let bench = lane.make()
        let stream = FutureStream<Int>()
        let log = Log<String>()
        stream.success(1)
        stream.success(2)
        stream.onSuccess(context: bench.first) { log.add("a\($0)") }
        bench.settle()
        bench.suspend()
        stream.onSuccess(context: bench.first) { log.add("b\($0)") }
        stream.success(3)
        bench.resume()
        bench.settle()
        #expect(log.all == ["a1", "a2", "b1", "b2", "a3", "b3"])
    }

    @Test func `on the main queue, plain and immediate ones keep their order`() {
        let log = Log<String>()
        let done = Signal()
        DispatchQueue.main.async {
            let stream = FutureStream<Int>()
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

    @Test func `mainImmediate alone is at once on the main queue, and comes later from elsewhere`() {
        let log = Log<Int>()
        let done = Signal()
        let stream = FutureStream<Int>()
        stream.onSuccess(context: QueueContext.mainImmediate) { value in
            log.add(MainQueue.isCurrent ? value : -1)
            if value == 4 { done.open() }
        }
        stream.success(1)
        DispatchQueue.main.async {
            // What is on its way comes first.
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

    @Test func `onFinish comes after all callbacks have got the last element`() {
        let context = ManualContext()
        let stream = FutureStream<Int>()
        let log = Log<String>()
        stream.onFinish(context: context) { log.add("finish") }
        for name in ["a", "b"] { stream.onSuccess(context: context) { log.add("\(name)\($0)") } }
        stream.success(1)
        stream.success(2)
        stream.finish()
        context.run()
        #expect(log.all == ["a1", "b1", "a2", "b2", "finish"])
    }

    @Test func `onFinish comes after the last element also if a callback waits`() {
        let stream = FutureStream<Int>()
        let log = Log<Int>()
        let never = Future<Int>()
        stream.onFinish(context: immediate) { log.add(-1) }
        stream.onSuccess(context: immediate) { value in
            log.add(value)
            guard value == 1 else { return }
            stream.success(2)
            stream.finish()
            _ = try? never.wait(timeout: .zero)
        }
        stream.success(1)
        #expect(log.all == [1, 2, -1])
    }

    @Test(arguments: [1, 3])
    func `a queue gets round to other work after 64 elements`(_ subscribers: Int) {
        let queue = DispatchQueue(label: "busy")
        let stream = FutureStream<Int>()
        let log = Log<Int>()
        queue.suspend()
        for _ in 0..<subscribers { stream.onSuccess(context: queue) { log.add($0) } }
        for value in 1...200 { stream.success(value) }
        queue.async { log.add(-1) }
        queue.resume()
        let done = Signal()
        stream.onFinish(context: queue) { done.open() }
        stream.finish()
        #expect(done.pass())
        #expect(log.all.firstIndex(of: -1) == 64 * subscribers)
        #expect(log.all.count == 200 * subscribers + 1)
    }

    @Test func `a manual context does too, and needs one task for what has piled up`() {
        let context = ManualContext()
        let stream = FutureStream<Int>()
        let log = Log<Int>()
        stream.onSuccess(context: context) { log.add($0) }
        for value in 1...64 { stream.success(value) }
        #expect(context.pendingCount == 1)
        context.runNext()
        #expect(log.all.count == 64)
        #expect(context.pendingCount == 0)
        for value in 1...130 { stream.success(value) }
        context.execute { log.add(-1) }
        #expect(context.pendingCount == 2)
        context.run()
        #expect(log.all.firstIndex(of: -1) == 128)
        #expect(log.all.count == 195)
    }

    @Test func `on a concurrent queue too all callbacks of a stream come one after the other`() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let stream = FutureStream<Int>(capacity: 0)
        let log = Log<String>()
        let done = Signal()
        for name in ["a", "b", "c"] {
            stream.onSuccess(context: queue) { value in
                log.add("\(name)\(value)")
                for _ in 0..<200 { _ = log.all.isEmpty }
            }
        }
        stream.onFinish(context: queue) { done.open() }
        for value in 1...200 { stream.success(value) }
        stream.finish()
        #expect(done.pass())
        #expect(log.all == (1...200).flatMap { ["a\($0)", "b\($0)", "c\($0)"] })
    }

    @Test(arguments: Place.allCases)
    func `an element that a callback emits comes after the one that it got`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Log<String>()
        stream.onSuccess(context: spot.context) { value in
            log.add("a\(value)")
            if value < 5 { stream.success(value + 1) }
        }
        stream.onSuccess(context: spot.context) { log.add("b\($0)") }
        stream.success(1)
        for _ in 0..<6 { spot.settle() }
        #expect(log.all == (1...5).flatMap { ["a\($0)", "b\($0)"] })
    }
}

/// Where subscribers are that must be in order among each other.
enum Lane: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case queue, queueContext, serialClass, emptyStruct, structOfQueue, wrappingStruct, manual

    var testDescription: String { rawValue }

    func make() -> Bench {
        let queue = DispatchQueue(label: "lane")
        switch self {
        case .queue: return Bench(queue: queue, first: queue, second: queue)
        case .queueContext:
            return Bench(queue: queue, first: QueueContext(queue: Queue(queue)), second: queue)
        case .serialClass:
            let context = QueueClass(queue: queue)
            return Bench(queue: queue, first: context, second: context)
        case .emptyStruct:
            let context = StaticContext()
            return Bench(queue: StaticContext.queue, first: context, second: StaticContext())
        case .structOfQueue:
            return Bench(queue: queue, first: QueueStruct(queue: queue), second: QueueStruct(queue: queue))
        case .wrappingStruct:
            litter(0xAA)
            let first = WrappingStruct(base: queue)
            litter(0x55)
            return Bench(queue: queue, first: first, second: WrappingStruct(base: queue))
        case .manual:
            let context = ManualContext()
            return Bench(manual: context, first: context, second: context)
        }
    }

    struct Bench {
        var queue: DispatchQueue?
        var manual: ManualContext?
        let first: any ExecutionContext
        let second: any ExecutionContext

        func suspend() { queue?.suspend() }

        func resume() { queue?.resume() }

        func settle() {
            queue?.sync {}
            manual?.run()
        }
    }
}

private final class QueueClass: ExecutionContext {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
}

private struct QueueStruct: ExecutionContext {
    let queue: DispatchQueue

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
}

private struct StaticContext: ExecutionContext {
    static let queue = DispatchQueue(label: "static")

    func execute(_ task: @escaping @Sendable () -> Void) { Self.queue.async(execute: task) }
}

/// A context around another one: of its memory a part says nothing.
private struct WrappingStruct: ExecutionContext {
    let base: any ExecutionContext

    func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }
}

/// Leaves bytes on the stack, for those to find who do not write all of their memory.
@inline(never)
private func litter(_ byte: UInt8) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
        for index in buffer.indices { buffer[index] = byte }
    }
}
