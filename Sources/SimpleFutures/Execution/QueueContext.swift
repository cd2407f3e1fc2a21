public import Dispatch

/// Runs callbacks on a Dispatch queue.
///
///     let image = data.map(context: .global) { try decode($0) }
///     image.onSuccess(isolated: { view.show($0) })
///
/// On a serial queue the callbacks of one future run in the order of their registration. On a concurrent queue they
/// start in that order and may overlap. Callbacks of one stream never overlap, on either kind of queue.
///
/// Contexts are equal if they run callbacks in the same way on the same queue: a context of your own that contains one
/// can be `Hashable`.
public struct QueueContext: ExecutionContext, Hashable {
    /// The main queue.
    ///
    /// Callbacks run later, even if the caller is on the main queue already. The compiler does not know that they run on
    /// the main actor: closures that use its state are labeled `isolated:`, with SimpleFuturesInterop.
    public static let main = QueueContext(queue: .main)

    /// The global concurrent queue of utility quality of service.
    public static let global = QueueContext(queue: .global)

    /// The main queue, without a hop for code that is already there.
    ///
    /// On the main queue a callback runs at once, unless an earlier callback of the same future or stream is still
    /// queued there. From other threads it is dispatched to the main queue.
    public static let mainImmediate = QueueContext(queue: .main, route: .mainImmediate)

    /// ``main`` if it is read on the main queue, otherwise ``global``.
    ///
    /// The choice is made when the property is read.
    public static var current: QueueContext { MainQueue.isCurrent ? .main : .global }

    /// The context of all calls that name none: ``main``, until you set another.
    ///
    /// A command-line tool that never runs its main queue should set it at the start, or pass a context to each call.
    /// Calls made before the change keep the context they were given.
    public static var futuresDefault: any ExecutionContext {
        get { defaultContext.withLock { $0 } }
        set { defaultContext.exchange(newValue) }
    }

    private static let defaultContext = Lock<any ExecutionContext>(main)

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static func == (left: QueueContext, right: QueueContext) -> Bool {
        left.queue == right.queue && left._route.kind == right._route.kind
    }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public func hash(into hasher: inout Hasher) { hasher.combine(queue) }

    /// The queue that runs the callbacks.
    public let queue: Queue

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public let _route: _Route

    /// Creates a context that runs callbacks on a queue.
    ///
    ///     let decoding = QueueContext(queue: Queue("decoding"))
    ///     let image = data.map(context: decoding) { try decode($0) }
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

    /// Runs the task on the queue after a delay.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        queue.queue.execute(after: delay, task)
    }
}

/// Short names for arguments: `onSuccess(context: .main) { … }`.
///
/// They are disfavored, so that names of the user's own for other contexts, and overloads for other types, keep their
/// meaning.
extension ExecutionContext where Self == QueueContext {
    /// ``QueueContext/main``, as an argument.
    @_disfavoredOverload
    public static var main: QueueContext { QueueContext.main }

    /// ``QueueContext/mainImmediate``, as an argument.
    @_disfavoredOverload
    public static var mainImmediate: QueueContext { QueueContext.mainImmediate }

    /// ``QueueContext/global``, as an argument.
    @_disfavoredOverload
    public static var global: QueueContext { QueueContext.global }

    /// ``QueueContext/current``, as an argument.
    @_disfavoredOverload
    public static var current: QueueContext { QueueContext.current }

    /// The default context if it is a queue, otherwise the main queue.
    ///
    /// For code of SimpleFutures 0.2, in which the default was always a ``QueueContext``: a default argument `context:
    /// QueueContext = QueueContext.futuresDefault` still compiles. New code takes `any ExecutionContext`.
    public static var futuresDefault: QueueContext {
        let context: any ExecutionContext = QueueContext.futuresDefault
        return context as? QueueContext ?? .main
    }
}

/// Every Dispatch queue is a context: `future.onSuccess(context: myQueue) { … }`.
extension DispatchQueue: ExecutionContext {
    // Disfavored, so that an `execute` that an app has declared for its queues is preferred.

    /// Runs the task on the queue.
    @preconcurrency @_disfavoredOverload
    public func execute(_ task: @escaping @Sendable () -> Void) { async(execute: task) }

    /// Runs the task on the queue after a delay.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        DispatchTimer.start(after: delay, on: self, task) { $0() }
    }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .queue(self) }
}
