import Dispatch
import Synchronization

/// An executor that runs its tasks one after another on one thread, and returns when no task is left.
///
/// The default executor gives a resumed task to any free thread, which costs more than the measured wait, and a
/// different amount each time.
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
        // On a Dispatch thread, because a task must not run inside another one.
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
            // The two arrays are swapped, so that no array is allocated anew.
            jobs.withLock { swap(&$0, &batch) }
            if batch.isEmpty { return }
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
            batch.removeAll(keepingCapacity: true)
        }
    }
}
