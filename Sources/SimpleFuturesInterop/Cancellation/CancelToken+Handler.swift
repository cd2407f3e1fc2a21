import Dispatch
package import SimpleFutures

extension CancelToken {
    /// Cancels from inside the runtime's cancellation handler, where no user code may run: the state changes at once,
    /// what follows from it happens on a thread of Dispatch.
    package func cancelFromHandler() {
        cancel { detach in DispatchQueue.global(qos: .userInitiated).async(execute: detach) }
    }
}
