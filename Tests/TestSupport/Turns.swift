import Dispatch
import Foundation

/// Runs a few tests at a time, each on its own threads.
///
/// Swift Testing starts all tests at once on the cooperative thread pool, which has as many threads as processors. A
/// test that blocks one, as tests of `wait` and of races do, would delay all others.
enum Turns {
    private static let gate = AsyncGate(places: 2 * ProcessInfo.processInfo.activeProcessorCount)

    /// Whether the task already has a place: a suite and its test may both ask for one.
    @TaskLocal private static var isTaken = false

    /// Runs a body when there is a free place.
    static func run(_ body: @concurrent @Sendable () async throws -> Void) async rethrows {
        guard !isTaken else { return try await body() }
        await gate.enter()
        defer { gate.leave() }
        try await $isTaken.withValue(true) {
            if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
                try await withTaskExecutorPreference(TestThreads.shared) { try await body() }
            } else {
                try await body()
            }
        }
    }
}

/// Lets a number of tasks in at a time, the latest arrival first.
///
/// So the next test of a suite that runs its tests one by one does not wait for all other tests.
private final class AsyncGate: @unchecked Sendable {
    // Sendable: mutable state is accessed under the lock.

    private let lock = NSLock()
    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = lock.withLock {
                guard places > 0 else {
                    waiting.append(continuation)
                    return false
                }
                places -= 1
                return true
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = lock.withLock { () -> CheckedContinuation<Void, Never>? in
            if waiting.isEmpty { places += 1 }
            return waiting.popLast()
        }
        next?.resume()
    }
}

/// Runs each job on an idle thread, or a new one if there is none, because a job may block.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class TestThreads: TaskExecutor, @unchecked Sendable {
    // Sendable: mutable state is accessed under the lock.

    static let shared = TestThreads()

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var idleCount = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        if idleCount < jobs.count { start() } else { condition.signal() }
        condition.unlock()
    }

    private func start() {
        idleCount += 1
        let thread = Thread { [unowned self] in
            while let job = nextJob() {
                job.runSynchronously(on: asUnownedTaskExecutor())
                condition.withLock { idleCount += 1 }
            }
        }
        thread.name = "TestThreads"
        thread.start()
    }

    /// The next job; nil if none has arrived for a second.
    private func nextJob() -> UnownedJob? {
        condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 1)
            while jobs.isEmpty, condition.wait(until: deadline) {}
            idleCount -= 1
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}
