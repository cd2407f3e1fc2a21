import Dispatch

/// A place where callbacks run, such as a queue.
///
/// A closure runs only on the context that you pass with it. The default is ``QueueContext/futuresDefault``, which is the
/// main queue unless you change it.
///
/// Write your own context by implementing ``execute(_:)``:
///
///     struct OperationContext: ExecutionContext, Hashable {
///         let queue: OperationQueue
///         func execute(_ task: @escaping @Sendable () -> Void) {
///             queue.addOperation(task)
///         }
///     }
///
/// A context should run each task once and then release it. If it runs tasks one after the other in the order in which
/// it received them, callbacks keep the order that the library promises. If the context drops a task, the futures that
/// depend on the task fail with ``FuturesError/brokenPromise(createdAt:)``.
///
/// Callbacks of a stream keep their order on one context. Two contexts are the same if they are one object, or equal
/// values of a `Hashable` type. A `QueueContext` and a `DispatchQueue` are also the same if their queue is. The library
/// cannot see which queue your own type uses: if callbacks of one stream must keep their order, do not register some on
/// your type and others on its queue. A value that is not `Hashable` counts as a separate context for each callback, so
/// make a context that is a structure `Hashable`, as above. A stream that has ended releases such a structure
/// with its last task: callbacks that you register from then on keep their order among themselves only. If that matters,
/// use a class. The library never holds a lock while it compares contexts.
///
/// A context that wraps another one also forwards ``execute(after:_:)`` and ``now``. Otherwise timers ignore the clock
/// of the wrapped context, and a ``ManualContext`` can't advance them.
///
/// A context may run a task before ``execute(_:)`` returns. A callback that blocks there also holds up callbacks on other
/// contexts, because the thread that called `execute` would have to dispatch them. A callback that calls `wait` on that
/// thread does not: it dispatches them first.
@preconcurrency
public protocol ExecutionContext: Sendable {
    /// Runs a task, now or later, on this thread or another one.
    @preconcurrency
    func execute(_ task: @escaping @Sendable () -> Void)

    /// Runs a task after a delay.
    ///
    /// `delay`, `timeout` and all other functions that depend on time use this function of the context that they are
    /// given. The default waits with a Dispatch timer, whose clock stands still while the system sleeps, then calls
    /// ``execute(_:)``. Do not ignore the delay: what repeats, such as `FutureStream.every` of `SimpleFuturesFoundation`,
    /// would begin its next round inside the last one, until the stack is full.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task and frees the timer at once.
    @discardableResult
    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration

    /// The current time of the context, since any fixed point. It never goes back, and ``execute(after:_:)`` uses the
    /// same clock.
    ///
    /// Repeating operations, such as `FutureStream.every` of `SimpleFuturesFoundation`, compare times of one context.
    /// The default is the clock of Dispatch's timers, which stands still while the system sleeps. A context with its
    /// own clock returns that clock's time, and a context that wraps another one returns the wrapped context's time.
    var now: Duration { get }

    /// How the library reaches the context. There is a default: do not implement it.
    var _route: _Route { get }
}

extension ExecutionContext {
    /// Waits with a Dispatch timer, then runs the task with ``execute(_:)``.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        DispatchTimer.start(after: delay, on: .global(qos: .utility), task) { self.execute($0) }
    }

    /// The time since the system started, as Dispatch's timers count it.
    public var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .custom(self) }

    /// The same context for a pending wait to hold.
    ///
    /// It does not keep a ``ManualContext`` alive, so that a test can release one. Package hook.
    package var forWaiting: any ExecutionContext { self is any ContextWithTimers ? self : _route.context ?? self }
}

/// A context that has the route of another one, but its own timers.
///
/// Package hook.
package protocol ContextWithTimers: ExecutionContext {}
