import Dispatch
import SimpleFutures

/// A user's context that runs tasks at once, and counts them.
final class InlineContext: ExecutionContext {
    private let log = Log<Void>()

    init() {}

    var count: Int { log.count }

    func execute(_ task: @escaping @Sendable () -> Void) {
        log.add(())
        task()
    }
}

/// A user's context that runs one task after the other on its own thread.
final class SerialContext: ExecutionContext {
    private let queue = DispatchQueue(label: "SerialContext")
    private let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: key, value: true) }

    /// Whether the caller runs on this context.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
}

/// A user's context that drops all tasks.
struct DroppingContext: ExecutionContext, Hashable {
    func execute(_ task: @escaping @Sendable () -> Void) {}
}

/// A user's context that also drops timers.
struct TimerDroppingContext: ExecutionContext {
    func execute(_ task: @escaping @Sendable () -> Void) { task() }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration { Registration() }
}

/// A user's context that cannot cancel its timers.
struct Uncancelable: ExecutionContext {
    let clock: ManualContext

    func execute(_ task: @escaping @Sendable () -> Void) { clock.execute(task) }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        clock.execute(after: delay, task)
        return Registration()
    }
}

/// A user's context that calls a closure when a timer is canceled.
struct Watched: ExecutionContext {
    let onCancel: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) { task() }

    func execute(after _: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        Registration {
            withExtendedLifetime(task, onCancel)
            return true
        }
    }
}

/// A user's context that runs every task twice.
struct RepeatingContext: ExecutionContext {
    func execute(_ task: @escaping @Sendable () -> Void) {
        task()
        task()
    }
}

/// A user's context that runs every task on two threads at the same time.
struct DoublingContext: ExecutionContext {
    func execute(_ task: @escaping @Sendable () -> Void) {
        let arrived = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            arrived.withLock { $0 += 1 }
            // Spins for a moment, because waking a thread takes too long.
            for _ in 0..<2000 where arrived.withLock({ $0 }) < 2 {}
            task()
        }
    }
}

/// A user's context that runs each task in a callback of a future.
final class CallbackContext: ExecutionContext {
    private let depth = Box(0)

    init() {}

    /// Whether a task runs; for tests on one thread.
    var isCurrent: Bool { depth.value > 0 }

    func execute(_ task: @escaping @Sendable () -> Void) {
        Future(value: ()).onSuccess(context: .immediate) {
            self.depth.change { $0 += 1 }
            task()
            self.depth.change { $0 -= 1 }
        }
    }
}

/// A user's context that runs tasks on demand, newest first.
final class ReversingContext: ExecutionContext {
    private let tasks = Lock<[@Sendable () -> Void]>([])

    init() {}

    func execute(_ task: @escaping @Sendable () -> Void) { tasks.withLock { $0.append(task) } }

    func run() {
        while let task = tasks.withLock({ $0.popLast() }) { task() }
    }
}

/// The most common context of the tests.
let immediate = ImmediateContext()

/// Recognizes the main queue by a value that the tests attach to it: on Linux each access returns another object.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller runs on it.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether a queue is the main queue.
    static func isSame(as queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}

extension DispatchQueue {
    var isMain: Bool { MainQueue.isSame(as: self) }

    var isGlobalUtility: Bool { label == DispatchQueue.global(qos: .utility).label }
}
