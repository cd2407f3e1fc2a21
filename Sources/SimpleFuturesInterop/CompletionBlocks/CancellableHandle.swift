public import SimpleFutures

/// A handle that cancels a running call, as returned by many methods with completion handlers.
///
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)`` takes methods
/// that return such a handle. A type conforms with one line. The first one here is your own; the second is a class of
/// another library that isn't `Sendable`, but whose `cancel()` can be called on any thread:
///
///     extension Request: CancellableHandle {}
///     extension Download: @retroactive @unchecked Sendable, @retroactive CancellableHandle {}
///
/// A method may also return an optional handle, nil if there is nothing to cancel. A handle is canceled from any
/// thread, at most once. If the type's method has another name, use ``CancelAction``.
public protocol CancellableHandle: Sendable {
    /// Stops the call, or does nothing if it has ended.
    ///
    /// The library never calls it under a lock or in the runtime's cancellation handlers.
    func cancel()
}

/// A handle that runs a closure.
///
///     let connection: Future<Connection> = future(cancelToken: token) { completion in
///         let id = client.open(completion)
///         return CancelAction { client.abort(id) }
///     }
public struct CancelAction: CancellableHandle {
    private let action: @Sendable () -> Void

    /// Creates a handle that runs a closure when it is canceled.
    ///
    /// - Parameter action: Stops the call, on the thread that cancels.
    public init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    /// Creates a handle that runs a closure when it is canceled, and keeps an object alive.
    ///
    /// - Parameters:
    ///   - object: Lives as long as the handle: for example a delegate or an observer to which others have only weak
    ///     references. It must be `Sendable`; for another object use `init(keeping:isolated:)`.
    ///   - action: Stops the call, on the thread that cancels.
    public init(keeping object: some Sendable, _ action: @escaping @Sendable () -> Void) {
        self.action = { withExtendedLifetime(object, action) }
    }

    /// Creates a handle that, when canceled, runs a closure on the caller's actor.
    ///
    /// The closure runs later; outside an actor, inside `cancel()`. The handle keeps its captures and the object alive.
    /// When the handle is released, on any thread, they are released on the caller's actor.
    ///
    /// - Parameters:
    ///   - object: Lives as long as the handle: for example a delegate to which others have only weak references. It
    ///     need not be `Sendable`; the handle does nothing with it.
    ///   - action: Stops the call, on the caller's actor.
    public init(
        keeping object: AnyObject? = nil,
        @_inheritActorContext(always) isolated action: @escaping @isolated(any) @Sendable () -> Void
    ) {
        let context = IsolatedCallback.context(of: action.isolation, otherwise: ImmediateContext())
        let action = IsolatedCallback.bare(action, keeping: object)
        self.action = { context.execute(action) }
    }

    /// Runs the closure.
    public func cancel() { action() }
}

extension CancelToken: CancellableHandle {}

extension Task: CancellableHandle {}
