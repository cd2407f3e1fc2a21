import SimpleFutures
@testable import TestSupport

/// A context that knows whether it runs a task on this thread.
final class TrackedContext: ExecutionContext, Hashable {
    enum Kind: CaseIterable { case atOnce, oneByOne, inCallbacks, loop }

    private let kind: Kind
    /// Whether it drops every third task.
    private let drops: Bool
    private let taskCount = Lock(0)
    private let tasks = Lock<[@Sendable () -> Void]>([])
    private let isRunning = Lock(false)
    private let inside = Lock<[UInt: Int]>([:])

    init(_ kind: Kind, drops: Bool = false) { (self.kind, self.drops) = (kind, drops) }

    var isCurrent: Bool { inside.withLock { $0[threadNumber(), default: 0] > 0 } }

    func execute(_ task: @escaping @Sendable () -> Void) {
        let number = taskCount.withLock { count in
            count += 1
            return count
        }
        if drops, number.isMultiple(of: 3) { return }
        switch kind {
        case .atOnce: run(task)
        case .inCallbacks: Future(value: ()).onSuccess(context: .immediate) { self.run(task) }
        case .loop: tasks.withLock { $0.append(task) }
        case .oneByOne:
            tasks.withLock { $0.append(task) }
            guard !isRunning.exchange(true) else { return }
            run(.max)
            isRunning.exchange(false)
            // Another thread may have added one in between.
            if !tasks.withLock({ $0.isEmpty }) { execute {} }
        }
    }

    /// Runs tasks of an event loop.
    ///
    /// Returns how many it has run.
    @discardableResult
    func run(_ count: Int) -> Int {
        for number in 0..<count {
            guard let task = tasks.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return number }
            run(task)
        }
        return count
    }

    private func run(_ task: () -> Void) {
        inside.withLock { $0[threadNumber(), default: 0] += 1 }
        task()
        inside.withLock { $0[threadNumber(), default: 0] -= 1 }
    }

    static func == (left: TrackedContext, right: TrackedContext) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The same as a value.
private struct TrackedContextValue: ExecutionContext, Hashable {
    let context: TrackedContext

    func execute(_ task: @escaping @Sendable () -> Void) { context.execute(task) }
}

/// Where a callback is to run.
struct Spot: Sendable {
    let number: Int
    let context: any ExecutionContext
    /// Whether the context may drop the callback.
    let mayDrop: Bool
    /// Whether this thread is there, without keeping the context.
    let isHere: @Sendable () -> Bool

    /// The immediate context.
    init() { (number, context, mayDrop, isHere) = (-1, immediate, false, { true }) }

    var isValue: Bool { context is TrackedContextValue }

    init(_ context: TrackedContext, _ number: Int, mayDrop: Bool) {
        (self.number, self.mayDrop) = (number, mayDrop)
        self.context = number.isMultiple(of: 2) ? context : TrackedContextValue(context: context)
        isHere = { [weak context] in context?.isCurrent ?? false }
    }
}
