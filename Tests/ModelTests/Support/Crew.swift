import Dispatch
import Foundation
import SimpleFutures
@testable import TestSupport

/// Threads that run jobs at the same moment.
///
/// A thread that does not return is abandoned, and the crew with it.
final class Crew: Sendable {
    private final class Member: Sendable {
        private let job = Lock<(@Sendable () -> Void)?>(nil)
        private let hasJob = DispatchSemaphore(value: 0)
        private let isDone = DispatchSemaphore(value: 0)

        init() {
            Thread { [self] in
                while true {
                    hasJob.wait()
                    guard let job = job.exchange(nil) else { return }
                    job()
                    isDone.signal()
                }
            }.start()
        }

        func run(_ body: (@Sendable () -> Void)?) {
            _ = job.exchange(body)
            hasJob.signal()
        }

        func isDone(by deadline: DispatchTime) -> Bool { isDone.wait(timeout: deadline) == .success }
    }

    private let members: [Member]

    init(count: Int) { members = (0..<count).map { _ in Member() } }

    /// Ends the threads.
    func dismiss() { for member in members { member.run(nil) } }

    /// Runs jobs at about the same moment, each on a thread.
    ///
    /// Returns false if they have not ended in time.
    ///
    /// Each job spins for a number of turns before it starts.
    func run(_ jobs: [@Sendable () -> Void], lingering: [Int] = [], within seconds: Double) -> Bool {
        let missing = Lock(jobs.count)
        let schedule = Schedule(threads: jobs.count)
        for (index, job) in jobs.enumerated() {
            let turns = index < lingering.count ? lingering[index] : 0
            members[index].run {
                missing.withLock { $0 -= 1 }
                var spins = 0
                while missing.withLock({ $0 }) > 0 {
                    spins += 1
                    if spins.isMultiple(of: 64) { sched_yield() }
                }
                for _ in 0..<turns { _ = missing.withLock { $0 } }
                schedule.run(index, job)
            }
        }
        let deadline = DispatchTime.now() + seconds
        return zip(jobs, members).allSatisfy { $1.isDone(by: deadline) }
    }
}

/// Checks a condition repeatedly.
///
/// Returns false when the time is over, which means that it will never be true.
///
/// In most cases the first check succeeds.
func eventually(within seconds: Double, _ isTrue: () -> Bool) -> Bool {
    if isTrue() { return true }
    let deadline = DispatchTime.now() + seconds
    while DispatchTime.now() < deadline {
        sched_yield()
        if isTrue() { return true }
    }
    return isTrue()
}

/// Takes a little time, so that threads meet at other points in each run.
///
/// In half of all runs it takes none.
struct Jitter: Sendable {
    private let most = Int.random(in: 0...1) * Int.random(in: 1...400)

    init() {}

    /// How long a thread waits before it starts.
    var start: Int { Int.random(in: 0...max(40, most)) }

    /// Spins for a moment.
    func pass() {
        guard most > 0 else { return }
        let moment = Lock(Int.random(in: 0...most))
        for _ in 0..<moment.withLock({ $0 }) { _ = moment.withLock { $0 } }
    }
}
