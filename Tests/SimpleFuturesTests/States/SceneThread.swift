@testable import TestSupport

/// The part of `ThreadState` that deliveries need.
final class SceneThread<Job, Frame> {
    var isActive = false
    var isDispatching = false
    /// The deliveries that are deferred until the running callback returns.
    var jobs: [Job] = []
    /// The deliveries on this stack, the innermost last.
    var draining: [Frame] = []
    /// How often the waits on this stack may go on before they are over, the innermost last.
    fileprivate var waits: [(left: Int, isOver: Bool)] = []
    /// Whether it has nothing to do until a wait is over.
    fileprivate(set) var isBlocked = false

    var isWaiting: Bool { !waits.isEmpty }

    /// Whether the innermost wait is over.
    var isOver: Bool { waits.last?.isOver ?? false }

    /// Whether another callback may start: false once the innermost wait is over.
    ///
    /// A wait may be over at each moment. Only the thread that waits asks for it, so it is enough to vary how often it
    /// gets the answer that it may go on.
    func mayGoOn() -> Bool {
        guard let left = waits.last?.left else { return true }
        if left > 0 { waits[waits.count - 1].left -= 1 } else { waits[waits.count - 1].isOver = true }
        return left > 0
    }
}

/// A scene whose players run callbacks, which may wait.
///
/// It repeats the part of `Trampoline` that runs jobs and waits.
protocol SceneOfThreads: Scene {
    associatedtype Job
    associatedtype Frame

    var threads: [ObjectIdentifier: SceneThread<Job, Frame>] { get set }

    func runJob(_ player: Player, _ job: Job)
    /// Delivers inside a callback that waits, unless another player delivers.
    func deliverAgain(_ player: Player, _ frame: Frame)
    /// A callback waits, and has nothing to deliver.
    func blocks(_ player: Player)
}

extension SceneOfThreads {
    func thread(of player: Player) -> SceneThread<Job, Frame> {
        if let thread = threads[ObjectIdentifier(player)] { return thread }
        let thread = SceneThread<Job, Frame>()
        threads[ObjectIdentifier(player)] = thread
        return thread
    }

    /// Begins a delivery: now, or when the callback that runs on this thread returns.
    func submit(_ player: Player, _ job: Job) {
        if thread(of: player).isActive {
            thread(of: player).jobs.append(job)
        } else {
            whileActive(player) { runJob(player, job) }
        }
    }

    func whileActive(_ player: Player, _ body: () -> Void) {
        let thread = thread(of: player)
        thread.isActive = true
        body()
        runJobs(player) { _ in thread.isActive = false }
    }

    private func runJobs(_ player: Player, hasRun: Bool = false, then end: @escaping (_ hasRun: Bool) -> Void) {
        player.next("take a job", isOwn: true) { [self] in
            let thread = thread(of: player)
            guard thread.mayGoOn(), !thread.jobs.isEmpty else { return end(hasRun) }
            runJob(player, thread.jobs.removeFirst())
            runJobs(player, hasRun: true, then: end)
        }
    }

    /// Runs other callbacks inside a callback, until nothing is left or the wait is over.
    func wait(_ player: Player, _ count: Int) {
        player.next("wait", isOwn: true) { [self] in
            let thread = thread(of: player)
            thread.waits.append((count, isOver: false))
            deliverAll(player)
            player.next("block", isOwn: true) { [self] in if !thread.isOver { block(player) } }
            player.next("the wait is over", isOwn: true) { thread.waits.removeLast() }
        }
    }

    private func deliverAll(_ player: Player) {
        for frame in thread(of: player).draining { deliverAgain(player, frame) }
        runJobs(player) { [self] hasRun in
            if hasRun { deliverAll(player) }
        }
    }

    private func block(_ player: Player) {
        let thread = thread(of: player)
        thread.isBlocked = true
        blocks(player)
        player.next("unblock") { thread.isBlocked = false }
    }
}
