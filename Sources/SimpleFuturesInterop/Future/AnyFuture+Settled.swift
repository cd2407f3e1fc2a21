public import SimpleFutures

extension AnyFuture {
    /// Suspends until the future is settled, or the task is cancelled: then it is still pending, or was settled in that
    /// very moment.
    ///
    /// The continuation is an unsafe one, since that it is resumed exactly once follows from the future's lock: either
    /// the observer is taken out by the cancellation handler, which resumes, or it is called when the future is settled,
    /// or it was refused, and is resumed on the spot. A future that is released settles its observers too.
    @usableFromInline
    package final func settled() async {
        let observer = Observer()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                observer.setBody { _, _ in continuation.resume() }
                if !addIfPending(observer) { continuation.resume() }
            }
        } onCancel: {
            remove(observer)?(self, nil)
        }
    }

    /// Suspends until the future is settled, even if the task is cancelled.
    package final func settledRegardless() async {
        await wait(with: Observer())
    }

    private final func wait(with observer: Observer) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            observer.setBody { _, _ in continuation.resume() }
            if !addIfPending(observer) { continuation.resume() }
        }
    }
}
