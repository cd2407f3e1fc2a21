public import SimpleFutures

extension AnyFuture {
    /// Suspends until the future is settled; or, if it abandons, until the task is cancelled: then the future is still
    /// pending, or was settled in that very moment.
    ///
    /// That the continuation is resumed exactly once follows from the future's lock: either the observer is taken out by
    /// the cancellation handler, which resumes, or it is called when the future is settled, or it was refused, and is
    /// resumed on the spot. A future that is released settles its observers too. So the continuation is an unsafe one.
    ///
    /// The task that is to complete the future, if there is one, gets the priority of the one that waits.
    ///
    /// - Parameters:
    ///   - token: What to cancel with the task.
    ///   - abandons: Whether the wait ends with the task's cancellation.
    ///   - raises: Whether the priority is still to be handed on.
    @usableFromInline
    package final func settled(
        cancelling token: CancelToken? = nil, abandons: Bool = true, raises: Bool = true
    ) async {
        if raises, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), let producer = producerTask {
            return await raise(producer, cancelling: token, abandons: abandons, on: #isolation)
        }
        let observer = Observer()
        let isolation = #isolation
        // Off any actor there is nothing to stay on, and to say so saves a tenth of the wait.
        if let isolation { return await wait(with: observer, cancelling: token, abandons: abandons, on: isolation) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { add(observer, resuming: $0) }
        } onCancel: {
            cancelWait(with: observer, cancelling: token, abandons: abandons)
        }
    }

    /// Waits, and hands its task's priority on to another one.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private final func raise(
        _ producer: ProducerTask, cancelling token: CancelToken?, abandons: Bool, on actor: isolated (any Actor)?
    ) async {
        await withTaskPriorityEscalationHandler {
            // A closure that does not name the actor would leave it.
            _ = actor
            // Now, as from here on the handler hears of every change.
            producer.escalate(to: Task.currentPriority)
            await settled(cancelling: token, abandons: abandons, raises: false)
        } onPriorityEscalated: { _, priority in
            producer.escalateFromHandler(to: priority)
        }
    }

    /// Waits on an actor.
    ///
    /// The closure names it, as it would otherwise leave the actor, and come back to it with a hop.
    private final func wait(
        with observer: Observer, cancelling token: CancelToken?, abandons: Bool, on actor: isolated any Actor
    ) async {
        await withTaskCancellationHandler {
            _ = actor
            await withUnsafeContinuation(isolation: actor) { add(observer, resuming: $0) }
        } onCancel: {
            cancelWait(with: observer, cancelling: token, abandons: abandons)
        }
    }

    private final func add(_ observer: Observer, resuming continuation: UnsafeContinuation<Void, Never>) {
        observer.setBody { _, _ in continuation.resume() }
        if !addIfPending(observer) { continuation.resume() }
    }

    private final func cancelWait(with observer: Observer, cancelling token: CancelToken?, abandons: Bool) {
        token?.cancelFromHandler()
        if abandons { remove(observer)?(self, nil) }
    }
}
