import Dispatch
import Foundation
import SimpleFutures
import Testing

@testable import TestSupport

@Suite("Promise 3: which contexts are the same", .watchdog)
struct ContextIdentityTests {
    @Test func `each value-type context runs its own callbacks, even if its values look alike`() {
        let (stream, ran) = (FutureStream<Int>(capacity: 0), Log<String>())
        for name in ["first", "second"] { stream.onSuccess(context: LookAlike(name: name, ran: ran)) { _ in } }
        stream.success(1)
        #expect(ran.all.sorted() == ["first", "second"])
    }

    @Test func `contexts that contain equal contexts of the library are one`() {
        let own = DispatchQueue(label: "own")
        func contexts() -> [AnyHashable] {
            [
                Around(base: ImmediateContext()), Around(base: QueueContext(queue: Queue(own))),
                Around(base: QueueContext.main), Around(base: QueueContext.mainImmediate),
                Around(base: QueueContext(queue: Queue(DispatchQueue.global(qos: .utility)))),
                Around(base: QueueContext(queue: Queue("own"))),
            ]
        }
        let (some, others) = (contexts(), contexts())
        #expect(zip(some, others).map { $0 == $1 } == [true, true, true, true, true, false])
        #expect(Set(some + others).count == 7)
        #expect(AnyHashable(QueueContext.main) == AnyHashable(QueueContext(queue: Queue(DispatchQueue.main))))
    }

    @Test func `the comparison of two contexts can use the stream`() {
        let stream = FutureStream<Int>(capacity: 0)
        let log = Log<Int>()
        let isOver = returns {
            for number in 0..<10 { stream.onSuccess(context: Curious(stream: stream)) { log.add($0 + number) } }
            stream.success(1)
        }
        #expect(isOver)
        #expect(log.all == Array(1...10))
        stream.finish()
    }

    @Test func `equal Hashable contexts registered on several threads count as one`() {
        let queue = DispatchQueue(label: "serial")
        for _ in 0..<Stress.rounds(50) {
            let stream = FutureStream<Int>(capacity: 0)
            let heard = Log<Int>()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                stream.onSuccess(context: Of(object: queue)) { heard.add($0) }
            }
            queue.suspend()
            for number in 1...3 { stream.success(number) }
            queue.resume()
            queue.sync {}
            #expect(heard.all == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
        }
    }

    @Test func `a context is also compared with contexts that are registered during the comparison`() {
        let (stream, heard, last) = (FutureStream<Int>(capacity: 0), Log<String>(), Colliding("last"))
        let first = Colliding("first") {
            guard heard.count == 0 else { return }
            heard.add("registered")
            stream.onSuccess(context: last) { heard.add("a\($0)") }
        }
        stream.onSuccess(context: first) { _ in }
        stream.onSuccess(context: last) { heard.add("b\($0)") }
        for number in 1...2 { stream.success(number) }
        last.clock.run()
        #expect(heard.all == ["registered", "a1", "b1", "a2", "b2"])
        stream.finish()
    }

    @Test func `a Hashable context is released with its last callback, while the stream is open`() {
        let stream = FutureStream<Int>(capacity: 0)
        let token = CancelToken()
        let watch = Watch { probe in stream.onSuccess(context: Of(object: probe), cancelToken: token) { _ in } }
        #expect(!watch.isReleased)
        token.cancel()
        #expect(watch.isReleased)
        stream.finish()
    }

    @Test func `contexts of one class are compared by identity, not by equality`() {
        let (first, second) = (Alike(), Alike())
        #expect(first == second)
        let stream = FutureStream<Int>(capacity: 0)
        for context in [first, second] { stream.onSuccess(context: context) { _ in } }
        stream.success(1)
        #expect((first.tasks.value, second.tasks.value) == (1, 1))
    }

    @Test func `queues with one label are two contexts, even if the label looks like one of a global queue`() {
        let stream = FutureStream<Int>(capacity: 0)
        let heard = Log<String>()
        let (first, second) = (DispatchQueue(label: "com.apple.root.mine"), DispatchQueue(label: "com.apple.root.mine"))
        stream.onSuccess(context: first) { _ in heard.add("first") }
        stream.onSuccess(context: second) { _ in heard.add("second") }
        first.suspend()
        stream.success(1)
        second.sync {}
        #expect(heard.all == ["second"])
        first.resume()
        first.sync {}
        #expect(heard.all == ["second", "first"])
    }

    @Test func `a global queue is one context, however often it is asked for`() async {
        let all: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive]
        for priority in all {
            let (stream, heard) = (FutureStream<Int>(capacity: 0), Log<Int>())
            for subscriber in 1...8 {
                stream.onSuccess(context: DispatchQueue.global(qos: priority)) { _ in
                    // So that another callback would come first if it could.
                    usleep(1_000)
                    heard.add(subscriber)
                }
            }
            stream.success(1)
            await until { heard.all.count == 8 }
            #expect(heard.all == Array(1...8))
        }
    }

    @Test func `contexts that cannot be compared are reported once for each type`() async {
        await #expect(processExitsWith: .success) {
            let reports = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { reports.add($0) }
            let stream = FutureStream<Int>(capacity: 0)
            let manual = ManualContext()
            for _ in 0..<3 { stream.onSuccess(context: Through(context: manual)) { _ in } }
            for _ in 0..<3 { stream.onSuccess(context: Of(object: DispatchQueue.main)) { _ in } }
            #if DEBUG
            precondition(reports.all.map { "\($0)".contains("on contexts of the type Through") } == [true])
            #else
            precondition(reports.all.isEmpty)
            #endif
        }
    }

    @Test(arguments: [true, false])
    func `on a finished stream a context can run other tasks after each 64 elements`(isObject: Bool) {
        let manual = ManualContext()
        let stream = FutureStream<Int>(capacity: .max)
        for number in 0..<1_000 { stream.success(number) }
        stream.finish()
        let heard = Log<Int>()
        stream.onSuccess(context: isObject ? manual : Through(context: manual)) { heard.add($0) }
        manual.runNext()
        #expect(heard.all == Array(0..<64))
        manual.run()
        #expect(heard.all == Array(0..<1_000))
    }

    @Test func `a task of a finished stream that outlives its context delivers everything`() {
        let tasks = Box<[@Sendable () -> Void]>([])
        let stream = FutureStream<Int>(capacity: .max)
        for number in 0..<1_000 { stream.success(number) }
        stream.finish()
        let heard = Log<Int>()
        stream.onSuccess(context: Leaving(tasks: tasks)) { heard.add($0) }
        for task in tasks.value { task() }
        tasks.value = []
        #expect(heard.all == Array(0..<1_000))
    }

    @Test(arguments: [0, 10])
    func `a task of a released context runs no callback of a new context at the same address`(otherContexts: Int) {
        let (stream, heard) = (FutureStream<Int>(capacity: 1), Log<String>())
        let (oldTasks, newTasks) = (Box<[@Sendable () -> Void]>([]), Box<[@Sendable () -> Void]>([]))
        stream.success(1)
        stream.finish()
        let others = (0..<otherContexts).map { _ in ManualContext() }
        for context in others { stream.onSuccess(context: context) { _ in } }
        func subscribe(_ name: String, _ context: Leaving) -> ObjectIdentifier {
            stream.onSuccess(context: context) { _ in heard.add(name) }
            return ObjectIdentifier(context)
        }
        let address = subscribe("old", Leaving(tasks: oldTasks))
        // Most allocators use the memory again at once.
        var contexts = [Leaving(tasks: newTasks)]
        while ObjectIdentifier(contexts[contexts.count - 1]) != address, contexts.count < 100 {
            contexts.append(Leaving(tasks: newTasks))
        }
        for name in ["new", "newer"] { _ = subscribe(name, contexts[contexts.count - 1]) }
        #expect(newTasks.value.count == 1)
        for task in oldTasks.value { task() }
        #expect(heard.all == ["old"])
        for task in newTasks.value { task() }
        #expect(heard.all == ["old", "new", "newer"])
        for context in others { context.run() }
    }
}

/// A context that records its name when it runs a task, and looks like all others of its type.
private struct LookAlike: ExecutionContext, CustomStringConvertible, CustomReflectable {
    let name: String
    let ran: Log<String>

    var description: String { "a context" }
    var customMirror: Mirror { Mirror(self, children: [:]) }

    func execute(_ task: @escaping @Sendable () -> Void) {
        ran.add(name)
        task()
    }
}

/// A context with the identity of an object: a queue, on which it runs its tasks, or a probe.
private struct Of<Object: AnyObject & Sendable>: ExecutionContext, Hashable {
    let object: Object

    static func == (first: Of, second: Of) -> Bool { first.object === second.object }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }

    func execute(_ task: @escaping @Sendable () -> Void) {
        if let queue = object as? DispatchQueue { queue.async(execute: task) } else { task() }
    }
}

/// A context that is not held by its tasks.
private final class Leaving: ExecutionContext {
    let tasks: Box<[@Sendable () -> Void]>

    init(tasks: Box<[@Sendable () -> Void]>) { self.tasks = tasks }

    func execute(_ task: @escaping @Sendable () -> Void) { tasks.change { $0.append(task) } }
}

/// A value around a manual context, which cannot be compared.
struct Through: ExecutionContext {
    let context: ManualContext

    func execute(_ task: @escaping @Sendable () -> Void) { context.execute(task) }
}

private struct Curious: ExecutionContext, Hashable {
    let stream: FutureStream<Int>

    static func == (first: Curious, second: Curious) -> Bool { first.stream.count == second.stream.count }

    func hash(into hasher: inout Hasher) { hasher.combine(stream.count) }

    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}

/// A context whose hash value is that of all others.
private struct Colliding: ExecutionContext, Hashable {
    let name: String
    let clock = ManualContext()
    let isCompared: @Sendable () -> Void

    init(_ name: String, _ isCompared: @escaping @Sendable () -> Void = {}) {
        (self.name, self.isCompared) = (name, isCompared)
    }

    static func == (first: Colliding, second: Colliding) -> Bool {
        first.isCompared()
        second.isCompared()
        return first.name == second.name
    }

    func hash(into hasher: inout Hasher) {}

    func execute(_ task: @escaping @Sendable () -> Void) { clock.execute(task) }
}

private final class Alike: ExecutionContext, Hashable {
    let tasks = Box(0)

    static func == (first: Alike, second: Alike) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    func execute(_ task: @escaping @Sendable () -> Void) {
        tasks.increment()
        task()
    }
}

/// A context of a user's around one of the library's.
private struct Around<Base: ExecutionContext & Hashable>: ExecutionContext, Hashable {
    let base: Base

    func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }
}
