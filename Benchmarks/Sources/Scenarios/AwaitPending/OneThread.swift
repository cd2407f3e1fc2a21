import Dispatch
import Synchronization

/// An executor that runs its tasks one after another on one thread, and returns when none is left.
///
/// The system's own hands a resumed task to whichever thread is free, which costs more than the wait that is measured,
/// and never twice the same.
final class OneThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs the body, and every task that prefers this executor, to the end.
    static func run(_ body: @escaping @Sendable (OneThread) async throws -> Void) async throws {
        let thread = OneThread()
        let task = Task(executorPreference: thread) { try await body(thread) }
        // On a thread of Dispatch's, because a task must not run inside another one.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                thread.runAll()
                continuation.resume()
            }
        }
        try await task.value
    }

    private func runAll() {
        var batch: [UnownedJob] = []
        while true {
            // The two arrays take turns, so that neither is made anew.
            jobs.withLock { swap(&$0, &batch) }
            if batch.isEmpty { return }
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
            batch.removeAll(keepingCapacity: true)
        }
    }
}
