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
    func raiseProducers(to priority: TaskPriority) {
        var (future, others, count) = (self, [AnyFuture](), 0)
        while true {
            var task: Task<Void, Never>?
            future.withWorker { task = $0.task }
            if let task { task.escalatePriority(to: priority) } else { others += future.upstreams }
            count += 1
            // Far enough in practice, and a limit for futures that wait for each other.
            guard count < 1_000, let next = others.popLast() else { return }
            future = next
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
