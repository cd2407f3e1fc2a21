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
    /// Raises the priority of the tasks behind this future and those that it is derived from.
    ///
    /// Each future is visited once, however many others are derived from it.
    func raiseProducers(to priority: TaskPriority) {
        var (level, known) = ([self], Set<ObjectIdentifier>())
        // Far enough in practice, and a limit for very long chains.
        for _ in 0..<1_000 where !level.isEmpty {
            var next: [AnyFuture] = []
            for future in level {
                var task: Task<Void, Never>?
                future.withWorker { task = $0.task }
                if let task { task.escalatePriority(to: priority) } else { next += future.upstreams }
            }
            // A level of one, as in a chain, cannot have duplicates.
            if next.count > 1 { next.removeAll { !known.insert(ObjectIdentifier($0)).inserted } }
            level = next
        }
    }

    /// Raises the priority of the tasks that are behind the future now, from the runtime's escalation handler.
    ///
    /// Asynchronously, because the tasks' own handlers are user code, and a long chain of tasks that wait for each
    /// other would recurse.
    func raiseProducersFromHandler(to priority: TaskPriority) {
        DispatchQueue.global(qos: .userInteractive).async { self.raiseProducers(to: priority) }
    }
}
