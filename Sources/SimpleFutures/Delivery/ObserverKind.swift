/// Decides which outcomes of a future an observer handles, and which of them run on its context.
///
/// Other outcomes are passed to the target by the core, without a hop and without generic code. Without a target the
/// observer and its captures are released.
@usableFromInline
package enum ObserverKind: UInt8, Sendable {
    /// `onComplete`: success and failure, on the context.
    case completion
    /// `onSuccess`: success, on the context.
    case success
    /// `onFailure`: failure, on the context.
    case failure
    /// `onCancel`: cancellation, on the context.
    case cancellation
    /// `map`, `flatMap` and their like: success, on the context.
    case transform
    /// `recover` and its like: failure on the context, success at once.
    case recovery
    /// `ensure`: everything, on the context.
    case ensuring
    /// `completeWith`: success, at once.
    case forwarding
    /// Timeouts: everything, at once.
    case plumbing
    /// A wait for all of many futures: everything, at once.
    case gathering
    /// A wait for the first of many futures: everything, at once.
    case race
    /// Awaits: everything, at once, and even inside a callback, because they only resume a waiter.
    case waker

    /// Whether the observer belongs to a combined future.
    var isOfMany: Bool { self == .gathering || self == .race }

    /// Whether the body handles a future in that phase.
    func wants(_ phase: FuturePhase) -> Bool {
        switch self {
        case .completion, .recovery: phase == .succeeded || phase.isFailure
        case .success, .transform, .forwarding: phase == .succeeded
        case .failure: phase.isFailure
        case .cancellation: phase == .cancelled
        case .ensuring, .plumbing, .gathering, .race, .waker: true
        }
    }

    /// Whether the body runs user code for that phase, which belongs on the context.
    func usesContext(_ phase: FuturePhase) -> Bool {
        switch self {
        case .completion, .success, .failure, .cancellation, .transform, .ensuring: wants(phase)
        case .recovery: phase.isFailure
        case .forwarding, .plumbing, .gathering, .race, .waker: false
        }
    }
}
