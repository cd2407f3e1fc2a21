/// Returns the error for a wait that ends because its task was canceled: the error that the runtime provides.
///
/// Today that is a bare `CancellationError`. With SE-0526 it would include a reason. Package hook.
@usableFromInline
package func taskCancellation() -> any Error {
    do {
        try Task.checkCancellation()
        return CancellationError()
    } catch {
        return error
    }
}
