/// What a wait throws that the cancellation of its own task has ended: the error that the runtime gives.
///
/// At present that is a bare `CancellationError`; with a reason, as SE-0526 proposes, it will have that.
///
/// Package hook.
@usableFromInline
package func taskCancellation() -> any Error {
    do {
        try Task.checkCancellation()
        return CancellationError()
    } catch {
        return error
    }
}
