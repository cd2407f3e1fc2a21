import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 4: callbacks in the order of their registration, elements one after the other", .watchdog)
struct InOrderTests {
    @Test(arguments: Place.allCases, Registrar.allCases)
    func `callbacks run in the order of their registration, before and after completion`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        let log = Log<Int>()
        let promise = Promise<Int>()
        let token = CancelToken()
        for index in 0..<100 {
            registrar.register(index, on: promise.future, spot.context, token) { log.add(index) }
        }
        promise.success(1)
        for index in 100..<200 {
            registrar.register(index, on: promise.future, spot.context, token) { log.add(index) }
        }
        spot.settle()
        #expect(log.all == Array(0..<200))
    }

    @Test(arguments: Place.allCases, Registrar.allCases)
    func `a callback that is registered while another thread completes does not overtake earlier ones`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        race(rounds: Stress.rounds(200)) {
            let arena = Arena()
            for index in 0..<4 { arena.register(index, with: registrar, on: spot.context) }
            return arena
        } _: { arena in
            for index in 4..<12 { arena.register(index, with: registrar, on: spot.context) }
        } _: { arena in
            arena.promise.success(1)
        } check: { arena in
            spot.settle()
            spot.settle()
            try verify(arena.log.all == Array(0..<12), "in order, not \(arena.log.all)")
        }
    }

    @Test func `a callback registered during the dispatch of the last one does not overtake it`() {
        let context = GatedContext()
        let promise = Promise<Int>()
        let log = Log<Int>()
        promise.future.onSuccess(context: context) { _ in log.add(1) }
        let done = Signal()
        DispatchQueue.global().async {
            promise.success(1)
            done.open()
        }
        #expect(context.entered.pass())
        promise.future.onSuccess(context: context) { _ in log.add(2) }
        context.leave.open()
        #expect(done.pass())
        context.run()
        #expect(log.all == [1, 2])
    }

    @Test(arguments: Registrar.allCases)
    func `a callback registered by another thread while the only one runs is called after it returns`(
        _ registrar: Registrar
    ) {
        let promise = Promise<Int>()
        let (future, token, log) = (promise.future, CancelToken(), Log<Int>())
        future.onSuccess(context: ImmediateContext()) { _ in
            let isRegistered = Signal()
            DispatchQueue.global().async {
                for index in 2...3 {
                    registrar.register(index, on: future, ImmediateContext(), token) { log.add(index) }
                }
                isRegistered.open()
            }
            #expect(isRegistered.pass())
            log.add(1)
        }
        promise.success(1)
        registrar.register(4, on: future, ImmediateContext(), token) { log.add(4) }
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test(arguments: Place.allCases, Registrar.allCases)
    func `a callback registered after the only one has run is called immediately`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        let (promise, token, log) = (Promise<Int>(), CancelToken(), Log<Int>())
        promise.future.onSuccess(context: ImmediateContext()) { _ in log.add(0) }
        promise.success(1)
        for index in 1...4 {
            registrar.register(index, on: promise.future, spot.context, token) { log.add(index) }
        }
        spot.settle()
        #expect(log.all == [0, 1, 2, 3, 4])
    }

    @Test(arguments: Place.allCases)
    func `a callback registered inside a callback runs after earlier ones`(_ place: Place) {
        let spot = place.make()
        let log = Log<Int>()
        let promise = Promise<Int>()
        let future = promise.future
        future.onSuccess(context: spot.context) { _ in
            log.add(0)
            future.onSuccess(context: spot.context) { _ in log.add(3) }
            log.add(1)
        }
        future.onSuccess(context: spot.context) { _ in log.add(2) }
        promise.success(1)
        spot.settle()
        spot.settle()
        #expect(log.all == [0, 1, 2, 3])
    }

    @Test func `callbacks of all kinds keep their order among each other`() {
        let context = ManualContext()
        let log = Log<String>()
        let promise = Promise<Int>()
        let future = promise.future
        future.onComplete(context: context) { _ in log.add("onComplete") }
        _ = future.map(context: context) { _ in log.add("map") }
        future.onSuccess(context: context, cancelToken: CancelToken()) { _ in log.add("onSuccess") }
        _ = future.flatMap(context: context) { value in
            log.add("flatMap")
            return Future(value: value)
        }
        promise.success(1)
        future.forEach(context: context) { _ in log.add("forEach") }
        context.run()
        #expect(log.all == ["onComplete", "map", "onSuccess", "flatMap", "forEach"])
    }

    @Test func `mainImmediate does not overtake callbacks that are already dispatched to the main queue`() {
        let log = Log<Int>()
        let done = Signal()
        DispatchQueue.main.async {
            let future = Future(value: 1)
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(0) }
            log.add(1)
            future.onSuccess(context: QueueContext.main) { _ in log.add(3) }
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(4) }
            future.onSuccess(context: DispatchQueue.main) { _ in
                log.add(5)
                done.open()
            }
            log.add(2)
        }
        #expect(done.pass())
        #expect(log.all == [0, 1, 2, 3, 4, 5])
    }

    @Test func `mainImmediate does not wait for a canceled dispatch to the main queue`() {
        let done = Signal()
        let log = Log<Int>()
        DispatchQueue.main.async {
            let future = Future(value: 1)
            let token = CancelToken()
            future.onSuccess(context: QueueContext.main, cancelToken: token) { _ in log.add(9) }
            token.cancel()
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(0) }
            log.add(1)
            DispatchQueue.main.async { done.open() }
        }
        #expect(done.pass())
        #expect(log.all == [0, 1])
    }

    @Test func `a bounded traversal maps in order, even if its futures end on several threads at a time`() {
        let queue = DispatchQueue(label: "traverse")
        race {
            let arena = Traversal()
            arena.start(on: queue)
            return arena
        } _: { arena in
            for index in stride(from: 0, to: Traversal.width, by: 2) { arena.promises[index].success(index) }
        } _: { arena in
            for index in stride(from: 1, to: Traversal.width, by: 2) { arena.promises[index].success(index) }
        } check: { arena in
            try verify(arena.isOver.pass(), "all are mapped")
            // The closure of the traversal retains the promises whose futures it awaits.
            for promise in arena.promises { promise.trySuccess(0) }
            try verify(arena.log.all == Array(arena.promises.indices), "in order, not \(arena.log.all)")
        }
    }

    // MARK: Streams

    /// Registers onSuccess and onFailure, each with its own copy of the context, and expects their calls in the order
    /// of the elements.
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

    @Test(arguments: SharedContext.allCases, [true, false])
    func `onSuccess and onFailure see success, failure, success`(_ shared: SharedContext, _ isHistory: Bool) {
        let bench = shared.make()
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

    @Test(arguments: SharedContext.allCases)
    func `a late subscriber catches up before the others get the next element`(_ shared: SharedContext) {
        let bench = shared.make()
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

    @Test func `on the main queue, main and mainImmediate callbacks keep their order`() {
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

    @Test func `mainImmediate alone runs at once on the main queue, and is dispatched from other threads`() {
        let log = Log<Int>()
        let done = Signal()
        let stream = FutureStream<Int>()
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

    @Test func `onFinish runs after all callbacks have received the last element`() {
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

    @Test func `onFinish runs after the last element, even if a callback waits`() {
        let stream = FutureStream<Int>()
        let log = Log<Int>()
        stream.onFinish(context: immediate) { log.add(-1) }
        stream.onSuccess(context: immediate) { value in
            log.add(value)
            guard value == 1 else { return }
            stream.success(2)
            stream.finish()
            ImmediateContext.runPending()
        }
        stream.success(1)
        #expect(log.all == [1, 2, -1])
    }

    @Test(arguments: [1, 3])
    func `a queue runs other work after 64 elements`(_ subscribers: Int) {
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

    @Test func `so does a manual context, with one task for all pending elements`() {
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

    @Test func `on a concurrent queue, too, the callbacks of a stream run one at a time`() {
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
    func `an element emitted by a callback is delivered after the element of that call`(_ place: Place) {
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

/// The way in which a callback is registered: each takes another path through the library.
enum Registrar: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case plainly
    case underAToken = "under a token"
    case alternating

    var testDescription: String { rawValue }

    fileprivate func register(
        _ index: Int, on future: Future<Int>, _ context: any ExecutionContext, _ token: CancelToken,
        _ body: @escaping @Sendable () -> Void
    ) {
        let token =
            switch self {
            case .plainly: CancelToken.none
            case .underAToken: token
            case .alternating: index.isMultiple(of: 2) ? CancelToken.none : token
            }
        future.onSuccess(context: context, cancelToken: token) { _ in body() }
    }
}

/// A serial context that delays the enqueueing of its first task.
private final class GatedContext: ExecutionContext {
    let entered = Signal()
    let leave = Signal()
    private let isFirst = Box(true)
    private let queue = ManualContext()

    func execute(_ task: @escaping @Sendable () -> Void) {
        if isFirst.change({ wasFirst in
            defer { wasFirst = false }
            return wasFirst
        }) {
            entered.open()
            _ = leave.pass()
        }
        queue.execute(task)
    }

    func run() { queue.run() }
}

private struct Arena: Sendable {
    let promise = Promise<Int>()
    let token = CancelToken()
    let log = Log<Int>()

    func register(_ index: Int, with registrar: Registrar, on context: any ExecutionContext) {
        registrar.register(index, on: promise.future, context, token) { [log] in log.add(index) }
    }
}

private struct Traversal: Sendable {
    static let width = 16

    let promises = (0..<2 * width).map { _ in Promise<Int>() }
    let log = Log<Int>()
    let isOver = Signal()

    func start(on queue: DispatchQueue) {
        _ = promises.indices.traverse(maxConcurrent: Self.width, context: queue) { [promises, log, isOver] index in
            log.add(index)
            if index == promises.indices.last { isOver.open() }
            return promises[index].future
        }
    }
}

/// The context shared by subscribers whose calls must be in order.
enum SharedContext: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case queue, queueContext, serialClass, emptyStruct, structOfQueue, wrappingStruct, manual

    var testDescription: String { rawValue }

    func make() -> Bench {
        let queue = DispatchQueue(label: "serial")
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

private struct QueueStruct: ExecutionContext, Hashable {
    let queue: DispatchQueue

    static func == (first: QueueStruct, second: QueueStruct) -> Bool { first.queue === second.queue }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
}

private struct StaticContext: ExecutionContext, Hashable {
    static let queue = DispatchQueue(label: "static")

    func execute(_ task: @escaping @Sendable () -> Void) { Self.queue.async(execute: task) }
}

/// A context around another one, with padding bytes in its memory.
private struct WrappingStruct: ExecutionContext, Hashable {
    let base: any ExecutionContext

    static func == (first: WrappingStruct, second: WrappingStruct) -> Bool {
        first.base as AnyObject === second.base as AnyObject
    }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(base as AnyObject)) }

    func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }
}

/// Leaves bytes on the stack, so that they show up in structs that do not initialize their padding.
@inline(never)
private func litter(_ byte: UInt8) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
        for index in buffer.indices { buffer[index] = byte }
    }
}
