import Dispatch
public import SimpleFutures

// A future holds the task that will complete it, so that waiters with a higher priority can raise the task's priority.

extension AnyFuture {
    /// Holds the task behind the future, unless the future is already settled.
    @usableFromInline
    final func setProducer(_ task: Task<Void, Never>) { if phase == .pending { setWorker(.task(task)) } }

    /// Like the above, for a task type that could throw, but never does.
    @usableFromInline
    final func setProducer(_ task: Task<Void, any Error>) { if phase == .pending { setWorker(.throwingTask(task)) } }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension AnyFuture {
    /// Raises the priority of the tasks behind this future and behind its sources.
    func raiseProducers(to priority: TaskPriority) {
        guard !raiseProducer(to: priority) else { return }
        var (futures, next) = (upstreams, 0)
        // Each future is visited once. There is a limit, because every waiter does this, and more tasks than processors
        // gain nothing from a higher priority.
        var known: Set<ObjectIdentifier> = []
        while next < futures.count, known.count < AnyFuture.mostUpstreams {
            let future = futures[next]
            next += 1
            if known.insert(ObjectIdentifier(future)).inserted, !future.raiseProducer(to: priority) {
                futures += future.upstreams
            }
        }
    }

    /// Raises the priority of the task behind the future itself.
    ///
    /// Returns false if there is none.
    private func raiseProducer(to priority: TaskPriority) -> Bool {
        switch worker {
        case .task(let task): task.escalatePriority(to: priority)
        case .throwingTask(let task): task.escalatePriority(to: priority)
        case .lifeline, .upstream, nil: return false
        }
        return true
    }

    /// Raises the priority of the tasks that are behind the future now, from the runtime's escalation handler.
    ///
    /// Asynchronously, because the tasks' own handlers are user code, and a long chain of tasks that wait for each
    /// other would recurse.
    func raiseProducersFromHandler(to priority: TaskPriority) {
        DispatchQueue.global(qos: .userInteractive).async { self.raiseProducers(to: priority) }
    }
}
