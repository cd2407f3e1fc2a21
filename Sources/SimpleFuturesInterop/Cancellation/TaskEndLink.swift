import SimpleFutures

/// What a token's handler knows of the end of the task that it cancels.
///
/// The handler holds it. When the handler goes, be it that it has run, was taken away, or that nobody can cancel the
/// token any more, the task's future knows nothing of it either.
final class TaskEndLink: Sendable {
    private let end: AnyFuture
    private let waker = Waker()

    init(to end: AnyFuture) { self.end = end }

    deinit { end.remove(waker) }

    /// Runs a closure when the task ends; or now, if it has.
    func observe(_ body: @escaping @Sendable () -> Void) {
        waker.set { _ in body() }
        if !end.add(waker) { body() }
    }
}
