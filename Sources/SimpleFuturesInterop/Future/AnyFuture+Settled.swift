public import SimpleFutures

// Isolation is a parameter here, and the closures name it, because the functions of the standard library take closures
// that would otherwise leave the caller's actor, and come back to it with a hop.

extension AnyFuture {
    /// Suspends until the future is settled, or the task is cancelled: then it is still pending, or was settled in that
    /// very moment.
    @usableFromInline
    package final func settled(isolation: isolated (any Actor)? = #isolation) async {
        let observer = Observer()
        await wait(with: observer, isolation: isolation) { self.remove(observer)?(self, nil) }
    }

    /// Suspends until the future is settled; if the task is cancelled, does what it is told and waits on.
    package final func settled(
        whenCancelled onCancel: @Sendable () -> Void, isolation: isolated (any Actor)? = #isolation
    ) async {
        await wait(with: Observer(), isolation: isolation, onCancel: onCancel)
    }

    /// Suspends until the future is settled, or the task is cancelled; then it cancels a token.
    package final func settled(cancelling token: CancelToken, isolation: isolated (any Actor)? = #isolation) async {
        let observer = Observer()
        await wait(with: observer, isolation: isolation) {
            token.cancelFromHandler()
            self.remove(observer)?(self, nil)
        }
    }

    /// The continuation is an unsafe one, since that it is resumed exactly once follows from the future's lock:
    /// either the observer is taken out by the cancellation handler, which resumes, or it is called when the future
    /// is settled, or it was refused, and is resumed on the spot.
    ///
    /// A future that is released settles its observers too.
    private final func wait(
        with observer: Observer, isolation: isolated (any Actor)?, onCancel: @Sendable () -> Void
    ) async {
        await withTaskCancellationHandler {
            _ = isolation
            await withUnsafeContinuation(isolation: isolation) { (continuation: UnsafeContinuation<Void, Never>) in
                observer.setBody { _, _ in continuation.resume() }
                if !addIfPending(observer) { continuation.resume() }
            }
        } onCancel: {
            onCancel()
        }
    }
}
