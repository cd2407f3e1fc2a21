import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// The environment of the work: contexts of every kind, tokens that live as long as the process, and a future that is
/// never completed.
final class Site: Sendable {
    let token = CancelToken()
    let idle = Future<Cargo>()
    let serial = DispatchQueue(label: "Soak.serial")
    let concurrent = DispatchQueue(label: "Soak.concurrent", attributes: .concurrent)
    let actor = Worker()
    let counts = Counts()

    actor Worker {}

    /// The context for the n-th operation.
    func context(_ number: Int) -> any ExecutionContext {
        switch number % 8 {
        case 0, 1: ImmediateContext()
        case 2: serial
        case 3: concurrent
        case 4: QueueContext.main
        case 5: QueueContext.global
        case 6: ActorContext(actor)
        default: MaxStackDepthContext()
        }
    }

    /// Lets four workers do every kind of work in turn, and checks for leaks when they are idle.
    func work(for seconds: Double) async -> Finding {
        let end = DispatchTime.now() + seconds
        await withTaskGroup(of: [Int].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var done = [Int](repeating: 0, count: Work.all.count)
                    var round = worker
                    while DispatchTime.now() < end {
                        let work = round % Work.all.count
                        await Work.all[work].run(self, round)
                        done[work] += Work.all[work].size
                        round += 1
                    }
                    return done
                }
            }
            for await done in group {
                for (work, count) in zip(Work.all, done) { counts.add(count, of: work.name) }
            }
        }
        return await rest()
    }

    /// Waits until the contexts have run their tasks, which shows in the number of live objects.
    ///
    /// Gives up after half a minute.
    private func rest() async -> Finding {
        let patience = DispatchTime.now() + 30
        while DispatchTime.now() < patience, Cargo.living.value != 0 || Answers.missing.value != 0 {
            try? await Task.sleep(for: .milliseconds(10))
        }
        // Objects are released slightly before their owners.
        try? await Task.sleep(for: .milliseconds(200))
        var left: [String] = []
        if token.debugDescription != "CancelToken(0 registered)" { left.append("with the \(token.debugDescription)") }
        let waiting = Mirror(reflecting: idle).children.first { $0.label == "waiting" }?.value as? Int
        if waiting != 0 { left.append("\(waiting ?? -1) with the future") }
        return Finding(
            operations: counts.all.values.reduce(0, +), living: Cargo.living.value,
            unanswered: Answers.missing.value, registrations: left, memory: Memory.resident)
    }
}

/// How often each kind of work was done.
final class Counts: @unchecked Sendable {
    // Sendable: the counts are accessed under the lock.

    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    var all: [String: Int] { lock.withLock { counts } }

    func add(_ count: Int, of work: String) { lock.withLock { counts[work, default: 0] += count } }
}
