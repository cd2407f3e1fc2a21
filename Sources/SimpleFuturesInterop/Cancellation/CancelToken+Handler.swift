import Dispatch
public import SimpleFutures

/// An object that is canceled with the task of a wait.
@usableFromInline
protocol CancelledWithTask: Sendable {
    /// Cancels from the runtime's cancellation handler, in which no user code may run.
    func cancelFromHandler()
}

extension CancelToken: CancelledWithTask {
    /// The state changes at once, and registrations are canceled on a Dispatch thread.
    @usableFromInline
    package func cancelFromHandler() {
        cancel { detach in DispatchQueue.global(qos: .userInitiated).async(execute: detach) }
    }
}
