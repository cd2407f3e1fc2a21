/// The work behind a pending future, which may depend on its waiters.
///
/// The future stores it in its payload, which has no value yet. Package hook.
package enum Worker {
    /// The task that settles the future: waiters raise its priority.
    case task(Task<Void, Never>)
    /// Like `task`. Some functions of the runtime make only tasks of this type; it never throws.
    case throwingTask(Task<Void, any Error>)
    /// Keeps a derived future alive as long as it has waiters.
    case lifeline(Lifeline)
    /// The source of a derived future, behind which there is a task.
    case upstream(AnyFuture)

    /// Called when the future has ended, or has another worker.
    func letGo() {
        if case .lifeline(let lifeline) = self { lifeline.close() }
    }

    var lifeline: Lifeline? {
        if case .lifeline(let lifeline) = self { lifeline } else { nil }
    }
}

/// Guarded by the lock of its future.
@available(*, unavailable)
extension Worker: Sendable {}

// Callers hold the future's lock or its last reference, and know from the state that there is a worker.
extension Payload {
    static func worker(_ raw: UnsafeMutableRawPointer) -> Worker { raw.assumingMemoryBound(to: Worker.self).pointee }

    static func put(_ worker: Worker, into raw: UnsafeMutableRawPointer) {
        assert(isInline(Worker.self))
        raw.initializeMemory(as: Worker.self, to: worker)
    }

    static func takeWorker(_ raw: UnsafeMutableRawPointer) -> Worker { raw.assumingMemoryBound(to: Worker.self).move() }
}
