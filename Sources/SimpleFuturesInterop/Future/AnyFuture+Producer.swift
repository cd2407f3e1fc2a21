import Dispatch
public import SimpleFutures

// A future holds the task that will complete it, so that waiters with a higher priority can raise the task's priority.

extension AnyFuture {
    /// Holds the task behind the future, unless the future is already settled.
    @usableFromInline
    final func setProducer(_ task: Task<Void, Never>) { if phase == .pending { setWorker(Worker(task)) } }

    /// Like the above, for a task type that could throw, but never does.
    @usableFromInline
    final func setProducer(_ task: Task<Void, any Error>) { if phase == .pending { setWorker(Worker(task)) } }
}

extension Worker {
    /// Creates a handle of a task.
    ///
    /// A reference to a task is one word for all types, but Swift only guarantees that it can be copied and destroyed.
    @inline(__always)
    init<Failure>(_ task: Task<Void, Failure>) {
        var word: UInt = 0
        withUnsafeMutablePointer(to: &word) { word in
            _ = UnsafeMutableRawPointer(word).initializeMemory(as: Task<Void, Failure>.self, to: task)
        }
        self.init(word) { word in
            var word = word
            withUnsafeMutablePointer(to: &word) { word in
                _ = UnsafeMutableRawPointer(word).assumingMemoryBound(to: Task<Void, Never>.self).deinitialize(count: 1)
            }
        }
    }

    /// The task of the handle.
    @inline(__always)
    fileprivate var task: Task<Void, Never> {
        withUnsafePointer(to: word) { UnsafeRawPointer($0).load(as: Task<Void, Never>.self) }
    }
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
        var task: Task<Void, Never>?
        withWorker { task = $0.task }
        task?.escalatePriority(to: priority)
        return task != nil
    }

    /// Raises the priority of the tasks that are behind the future now, from the runtime's escalation handler.
    ///
    /// Asynchronously, because the tasks' own handlers are user code, and a long chain of tasks that wait for each
    /// other would recurse.
    func raiseProducersFromHandler(to priority: TaskPriority) {
        DispatchQueue.global(qos: .userInteractive).async { self.raiseProducers(to: priority) }
    }
}
