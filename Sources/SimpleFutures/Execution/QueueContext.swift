public import Dispatch

/// Runs callbacks on a Dispatch queue.
///
///     profile.map(context: QueueContext.global) { try decode($0) }
///         .onSuccess(context: QueueContext.main) { show($0) }
///
/// On a serial queue the callbacks of one future run in the order of their registration. On a concurrent one they start
/// in that order and may overlap. Callbacks of one stream never do, on either.
public struct QueueContext: ExecutionContext {
    /// The main queue.
    ///
    /// Callbacks run later, even if the caller is on the main queue already.
    public static let main = QueueContext(queue: .main)

    /// The global concurrent queue of utility quality of service.
    public static let global = QueueContext(queue: .global)

    /// The main queue, without the detour for callbacks that are due there.
    ///
    /// A callback that is due on the main queue runs at once, unless something earlier of the same future or stream is
    /// still queued to it; from another queue it is sent to the main one.
    public static let mainImmediate = QueueContext(queue: .main, route: .mainImmediate)

    /// ``main`` if it is called on the main queue, else ``global``.
    ///
    /// It is decided at the call.
    public static var current: QueueContext { MainQueue.isCurrent ? .main : .global }

    /// The context of every call that names none: ``main``, until you set another.
    ///
    /// A command-line tool that never runs its main queue should set it at the start, or name a context at each call.
    /// Calls made before the change keep the context they have got.
    public static var futuresDefault: any ExecutionContext {
        get { defaultContext.withLock { $0 } }
        set { defaultContext.exchange(newValue) }
    }

    private static let defaultContext = Lock<any ExecutionContext>(main)

    /// The queue that runs the callbacks.
    public let queue: Queue

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public let _route: _Route

    /// Creates a context that runs callbacks on a queue.
    ///
    ///     let decoding = QueueContext(queue: Queue("decoding"))
    ///     let user = response.map(context: decoding) { try decode($0) }
    ///
    /// - Parameter queue: The queue, serial or concurrent.
    public init(queue: Queue) { self.init(queue: queue, route: queue.queue._route) }

    private init(queue: Queue, route: _Route) {
        self.queue = queue
        _route = route
    }

    /// Runs the task on the queue.
    @preconcurrency
    public func execute(_ task: @escaping @Sendable () -> Void) {
        if _route.isHere(hopsToMain: 0) { task() } else { queue.async(task) }
    }

    /// Runs the task on the queue when a time has passed.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: What to run.
    /// - Returns: Calls the task off and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        queue.queue.execute(after: delay, task)
    }
}

extension ExecutionContext where Self == QueueContext {
    /// The context of every call that names none, if it is a queue; else the main queue.
    ///
    /// For code of SimpleFutures 0.2, where it always was a ``QueueContext``: a default argument
    /// `context: QueueContext = QueueContext.futuresDefault` compiles as it did. New code takes `any ExecutionContext`.
    public static var futuresDefault: QueueContext {
        let context: any ExecutionContext = QueueContext.futuresDefault
        return context as? QueueContext ?? .main
    }
}

/// Every Dispatch queue is a context: `future.onSuccess(context: myQueue) { … }`.
extension DispatchQueue: ExecutionContext {
    /// Runs the task on the queue.
    @preconcurrency
    public func execute(_ task: @escaping @Sendable () -> Void) { async(execute: task) }

    /// Runs the task on the queue when a time has passed.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: What to run.
    /// - Returns: Calls the task off and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        DispatchTimer.start(after: delay, on: self, task) { $0() }
    }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .queue(self) }
}
