public import SimpleFutures

/// A call under way that can be canceled: what a method with a completion handler returns, so that one may change one's
/// mind.
///
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)`` takes methods
/// that return such a handle. Types of your own, or of another library, conform by a line:
///
///     extension Request: CancellableHandle {}
///
/// A method may also return an optional handle, nil if there is nothing to cancel. A handle is canceled from any
/// thread, at most once. For one whose method has another name there is ``CancelAction``.
public protocol CancellableHandle: Sendable {
    /// Stops the call, or does nothing if it has ended.
    ///
    /// The library calls it outside of locks and of the runtime's cancellation handlers.
    func cancel()
}

/// A handle made of a closure.
///
///     let page: Future<Page> = future(cancelToken: token) { completion in
///         let id = client.start(url, completion)
///         return CancelAction { client.stop(id) }
///     }
public struct CancelAction: CancellableHandle {
    private let action: @Sendable () -> Void

    /// Creates a handle that runs a closure when it is canceled.
    ///
    /// - Parameter action: Stops the call, on the thread that cancels.
    public init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    /// Creates a handle that runs a closure when it is canceled, and that keeps an object alive.
    ///
    /// - Parameters:
    ///   - object: What lives as long as the handle: a delegate, an observer, to which others have weak references.
    ///   - action: Stops the call, on the thread that cancels.
    public init(keeping object: some Sendable, _ action: @escaping @Sendable () -> Void) {
        self.action = { withExtendedLifetime(object, action) }
    }

    /// Creates a handle that runs a closure on the caller's actor when it is canceled, later.
    ///
    /// It keeps what the closure uses alive, and an object besides, until it is released, wherever that is; these are
    /// then released on the caller's actor, later.
    ///
    /// - Parameters:
    ///   - object: What lives as long as the handle: a delegate, to which others have weak references. It need not be
    ///     `Sendable`; the handle does nothing with it.
    ///   - action: Stops the call, on the caller's actor.
    public init(
        keeping object: AnyObject? = nil,
        @_inheritActorContext isolated action: @escaping @isolated(any) @Sendable () -> Void
    ) {
        let context = IsolatedCallback.context(of: action.isolation, otherwise: ImmediateContext())
        let work = IsolatedWork(keeping: object, on: context, IsolatedCallback.bare(action))
        self.action = { context.execute { work.run() } }
    }

    /// Runs the closure that the handle was made of.
    public func cancel() { action() }
}

/// A closure of an actor's, and an object, which are released there.
private final class IsolatedWork: @unchecked Sendable {
    // Sendable, because what is kept is reached on the actor alone.

    private final class Kept {
        let object: AnyObject?
        let action: @Sendable () -> Void

        init(_ object: AnyObject?, _ action: @escaping @Sendable () -> Void) {
            self.object = object
            self.action = action
        }
    }

    // Released by hand, as otherwise it would be in `deinit`, off the actor.
    private let kept: Unmanaged<Kept>
    private let context: any ExecutionContext

    init(keeping object: AnyObject?, on context: any ExecutionContext, _ action: @escaping @Sendable () -> Void) {
        kept = .passRetained(Kept(object, action))
        self.context = context
    }

    deinit {
        nonisolated(unsafe) let kept = kept
        context.execute { kept.release() }
    }

    /// For the actor.
    func run() { kept.takeUnretainedValue().action() }
}

extension CancelToken: CancellableHandle {}

extension Task: CancellableHandle {}
