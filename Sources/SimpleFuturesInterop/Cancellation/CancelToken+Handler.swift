import Dispatch
package import SimpleFutures

extension CancelToken {
    /// Cancels from the runtime's cancellation handler, in which no user code may run: the state changes at once, and
    /// registrations are canceled on a Dispatch thread.
    package func cancelFromHandler() {
        cancel { detach in DispatchQueue.global(qos: .userInitiated).async(execute: detach) }
    }
}
