import Dispatch
public import SimpleFutures

// The task that is going to complete a future is known to it for the sake of those who wait and have a higher priority.

extension AnyFuture {
    /// The task behind the future, or behind one that it is derived from, if the future is pending and there is one.
    var producer: Task<Void, Never>? {
        var future = self
        // Far enough for any chain that somebody has written, and an end for futures that wait for each other.
        for _ in 0..<100 {
            var task: Task<Void, Never>?
            future.withWorker { task = $0.task }
            if let task { return task }
            guard let source = future.upstream else { return nil }
            future = source
        }
        return nil
    }

    /// Keeps the task behind the future, unless it has come to its end already.
    @usableFromInline
    final func setProducer(_ task: Task<Void, Never>) { if phase == .pending { setWorker(Worker(task)) } }

    /// The same for a task that might throw, and does not.
    @usableFromInline
    final func setProducer(_ task: Task<Void, any Error>) { if phase == .pending { setWorker(Worker(task)) } }
}

extension Worker {
    /// Keeps a task.
    ///
    /// A reference to it is one word, the same for all types, of which Swift says no more than that it can be copied
    /// and destroyed.
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

    /// The task that it was made with.
    @inline(__always)
    fileprivate var task: Task<Void, Never> {
        withUnsafePointer(to: word) { UnsafeRawPointer($0).load(as: Task<Void, Never>.self) }
    }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension Task {
    /// Raises the priority of the task from inside the runtime's escalation handler: later, as the handlers of the task
    /// itself are user code, and a long chain of tasks that wait for each other would need as much stack.
    func escalateFromHandler(to priority: TaskPriority) {
        DispatchQueue.global(qos: .userInteractive).async { escalatePriority(to: priority) }
    }
}
