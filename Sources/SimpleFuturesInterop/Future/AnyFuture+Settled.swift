public import SimpleFutures

extension AnyFuture {
    /// Suspends until the future is settled or, if it abandons, until the task is canceled.
    ///
    /// In the second case the future is still pending, or was settled at that very moment.
    ///
    /// The future's lock guarantees that the continuation is resumed exactly once, so an unsafe continuation is enough.
    /// Either the cancellation handler removes the waiter and resumes, or the future calls it when settled, or the
    /// waiter is refused and resumed at once. A future that is released also settles its observers.
    ///
    /// Tasks behind the future are raised to the priority of the waiter, also if they come during the wait. If that
    /// priority changes during the wait, they are raised again only if there was a task when the wait began: a handler
    /// costs time, and without a task there is none.
    ///
    /// - Parameters:
    ///   - token: A token or handle to cancel with the task; if the wait abandons, only when that ends the wait.
    ///   - abandons: Whether the task's cancellation ends the wait.
    /// - Returns: False if a cancellation ended the wait before the future was settled.
    @usableFromInline @discardableResult
    final func settled(cancelling token: (any CancelledWithTask)? = nil, abandons: Bool = true) async -> Bool {
        let waker = Waker()
        let isolation = #isolation
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), raise(to: Task.currentPriority) {
            if let isolation {
                await withTaskPriorityEscalationHandler {
                    // A closure that does not mention the actor would leave it.
                    _ = isolation
                    // Again, because only from here on the handler is called for every change.
                    raise(to: Task.currentPriority)
                    await wait(for: waker, cancelling: token, abandons: abandons, on: isolation)
                } onPriorityEscalated: { _, priority in
                    raiseFromHandler(to: priority)
                }
            } else {
                await withTaskPriorityEscalationHandler {
                    raise(to: Task.currentPriority)
                    await withTaskCancellationHandler {
                        await withUnsafeContinuation { add(waker, resuming: $0) }
                    } onCancel: {
                        cancelWait(for: waker, cancelling: token, abandons: abandons)
                    }
                } onPriorityEscalated: { _, priority in
                    raiseFromHandler(to: priority)
                }
            }
            return !waker.wasRemoved
        }
        // Outside an actor there is nothing to stay on. This separate branch saves a tenth of the wait.
        if let isolation {
            await wait(for: waker, cancelling: token, abandons: abandons, on: isolation)
        } else {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { add(waker, resuming: $0) }
            } onCancel: {
                cancelWait(for: waker, cancelling: token, abandons: abandons)
            }
        }
        return !waker.wasRemoved
    }

    /// Waits on an actor.
    ///
    /// The closure mentions the actor. Otherwise it would leave the actor, and return with a hop.
    private final func wait(
        for waker: Waker, cancelling token: (any CancelledWithTask)?, abandons: Bool, on actor: isolated any Actor
    ) async {
        await withTaskCancellationHandler {
            _ = actor
            await withUnsafeContinuation(isolation: actor) { add(waker, resuming: $0) }
        } onCancel: {
            cancelWait(for: waker, cancelling: token, abandons: abandons)
        }
    }

    private final func add(_ waker: Waker, resuming continuation: UnsafeContinuation<Void, Never>) {
        // A continuation is one word, so the closure captures nothing.
        waker.set(unsafeBitCast(continuation, to: UInt.self)) { word in
            unsafeBitCast(word, to: UnsafeContinuation<Void, Never>.self).resume()
        }
        if !add(waker) { continuation.resume() }
    }

    private final func cancelWait(for waker: Waker, cancelling token: (any CancelledWithTask)?, abandons: Bool) {
        // Remove the waiter first, so that a result caused by the token comes too late.
        let endsWait = abandons && remove(waker)
        // A wait that has a result returns it, even if its task has not resumed yet. Then there is nothing to cancel.
        guard abandons ? waker.wasRemoved : phase == .pending else { return }
        token?.cancelFromHandler()
        if endsWait { waker.wake() }
    }
}
