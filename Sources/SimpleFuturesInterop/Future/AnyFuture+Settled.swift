public import SimpleFutures

extension AnyFuture {
    /// Suspends until the future is settled; or, if it abandons, until the task is canceled: then the future is still
    /// pending, or was settled in that very moment.
    ///
    /// That the continuation is resumed exactly once follows from the future's lock: either the waker is taken out by
    /// the cancellation handler, which resumes, or it is called when the future is settled, or it was refused, and is
    /// resumed on the spot. A future that is released settles its observers too. So the continuation is an unsafe one.
    ///
    /// The task that is to complete the future, if there is one, gets the priority of the one that waits.
    ///
    /// - Parameters:
    ///   - token: What to cancel with the task.
    ///   - abandons: Whether the wait ends with the task's cancellation.
    /// - Returns: False if it has ended so, before the future was settled.
    @usableFromInline @discardableResult
    package final func settled(cancelling token: CancelToken? = nil, abandons: Bool = true) async -> Bool {
        let waker = Waker()
        let isolation = #isolation
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), let producer {
            if let isolation {
                await withTaskPriorityEscalationHandler {
                    // A closure that does not name the actor would leave it.
                    _ = isolation
                    // Now, as from here on the handler hears of every change.
                    producer.escalatePriority(to: Task.currentPriority)
                    await wait(for: waker, cancelling: token, abandons: abandons, on: isolation)
                } onPriorityEscalated: { _, priority in
                    producer.escalateFromHandler(to: priority)
                }
            } else {
                await withTaskPriorityEscalationHandler {
                    producer.escalatePriority(to: Task.currentPriority)
                    await withTaskCancellationHandler {
                        await withUnsafeContinuation { add(waker, resuming: $0) }
                    } onCancel: {
                        cancelWait(for: waker, cancelling: token, abandons: abandons)
                    }
                } onPriorityEscalated: { _, priority in
                    producer.escalateFromHandler(to: priority)
                }
            }
            return !waker.wasRemoved
        }
        // Off any actor there is nothing to stay on, and to say so saves a tenth of the wait.
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
    /// The closure names it, as it would otherwise leave the actor, and come back to it with a hop.
    private final func wait(
        for waker: Waker, cancelling token: CancelToken?, abandons: Bool, on actor: isolated any Actor
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

    private final func cancelWait(for waker: Waker, cancelling token: CancelToken?, abandons: Bool) {
        // First, so that an answer to the token comes too late.
        let endsWait = abandons && remove(waker)
        token?.cancelFromHandler()
        if endsWait { waker.wake() }
    }
}
