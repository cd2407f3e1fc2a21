import SimpleFutures

/// Observes the end of a linked task, for the token's handler.
///
/// The handler holds this object. When the handler has run, was removed or can no longer be called, this object stops
/// observing the task's future.
final class TaskEndLink: Sendable {
    private let end: AnyFuture
    private let waker = Waker()

    init(to end: AnyFuture) { self.end = end }

    deinit { end.remove(waker) }

    /// Runs a closure when the task ends, or now if it has ended.
    func observe(_ body: @escaping @Sendable () -> Void) {
        waker.set { _ in body() }
        if !end.add(waker) { body() }
    }
}
