import Dispatch

/// Where callbacks run.
///
/// Every call of the library that takes a closure takes a context too, and runs the closure there and nowhere else.
/// The default is ``QueueContext/futuresDefault``, which is the main queue unless you change it.
///
/// Write a context of your own by implementing ``execute(_:)``:
///
///     struct OperationContext: ExecutionContext, Hashable {
///         let queue: OperationQueue
///         func execute(_ task: @escaping @Sendable () -> Void) {
///             queue.addOperation(task)
///         }
///     }
///
/// A context should run each task once. If it runs them one after the other in the order in which it got them,
/// callbacks keep the order that the library promises. What depends on a task that the context drops fails with
/// ``FuturesError/brokenPromise(createdAt:)``.
///
/// Callbacks of a stream keep their order on one context. Two contexts are the same if they are one object, or equal
/// values of a `Hashable` type, or lead to one Dispatch queue. Any other value is a context of its own for each
/// callback, so make a context that is a structure `Hashable`, as above. The library compares contexts under no lock.
@preconcurrency
public protocol ExecutionContext: Sendable {
    /// Runs a task, now or later, on this or on another thread.
    @preconcurrency
    func execute(_ task: @escaping @Sendable () -> Void)

    /// Runs a task when a time has passed.
    ///
    /// `delay`, `timeout` and everything else that takes time ask the context they are given for it. The default waits
    /// with a Dispatch timer, then calls ``execute(_:)``.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: What to run.
    /// - Returns: Calls the task off and frees the timer at once.
    @discardableResult
    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration

    /// The time of the context, from any point on: it never goes back, and ``execute(after:_:)`` counts in it.
    ///
    /// What repeats, such as `FutureStream.every` of `SimpleFuturesFoundation`, compares times of one context. The
    /// default is the time that Dispatch's timers count, which stands still while the system sleeps. A context with a
    /// clock of its own returns the time of that, and a context around another one returns the other one's.
    var now: Duration { get }

    /// How the library reaches the context. There is a default: do not implement it.
    var _route: _Route { get }
}

extension ExecutionContext {
    /// Waits with a Dispatch timer, then runs the task with ``execute(_:)``.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as possible.
    ///   - task: What to run.
    /// - Returns: Calls the task off and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        DispatchTimer.start(after: delay, on: .global(qos: .utility), task) { self.execute($0) }
    }

    /// The time that Dispatch's timers count, since the system started.
    public var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .custom(self) }

    /// The same context, to be kept by what may wait on it: a ``ManualContext`` is to go when whoever runs it lets it
    /// go.
    var forWaiting: any ExecutionContext { _route.context ?? self }
}
