@testable import SimpleFutures
@testable import TestSupport

// As in `Trampoline`.

/// What deliveries need of the state of a thread, as in `ThreadState`.
final class StreamThread {
    var isActive = false
    var isDispatching = false
    /// The deliveries that are deferred until the running callback returns.
    var jobs: [StreamScene.Drain] = []
    /// The deliveries on this stack, the innermost last.
    var draining: [StreamScene.Drain] = []
    /// How often the waits on this stack may go on before they are over, the innermost last.
    fileprivate var waits: [Int] = []

    var isWaiting: Bool { !waits.isEmpty }

    /// Whether another callback may start: false once the innermost wait is over.
    ///
    /// A wait may be over at each moment. Only the thread that waits asks for it, so it is enough to vary how often it
    /// gets the answer that it may go on.
    func mayGoOn() -> Bool {
        guard let left = waits.last else { return true }
        if left > 0 { waits[waits.count - 1] -= 1 }
        return left > 0
    }
}

extension StreamScene {
    func thread(of player: Player) -> StreamThread {
        if let thread = threads[ObjectIdentifier(player)] { return thread }
        let thread = StreamThread()
        threads[ObjectIdentifier(player)] = thread
        return thread
    }

    /// Begins a delivery: now, or when the callback that runs on this thread returns.
    func submit(_ player: Player, _ drain: Drain) {
        if thread(of: player).isActive {
            thread(of: player).jobs.append(drain)
        } else {
            whileActive(player) { run(player, drain) }
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

    private func runJob(_ player: Player, _ job: Drain) {
        let thread = thread(of: player)
        if thread.isWaiting { job.extent = .whileWaiting }
        run(player, job) { [self] in
            let isLast = thread.jobs.isEmpty
            player.next("put the job back", isOwn: isLast) { [self] in
                let again = replace(job, pausing: job.pausing)
                if !isLast, withState({ $0.isAtAnotherElement(job.mailbox) }) {
                    thread.jobs.append(again)
                } else {
                    thread.jobs.insert(again, at: 0)
                }
            }
        }
    }

    /// Runs other callbacks inside a callback, until nothing is left or the wait is over.
    func wait(_ player: Player, _ count: Int) {
        player.next("wait", isOwn: true) { [self] in
            thread(of: player).waits.append(count)
            deliverAll(player)
            player.next("the wait is over", isOwn: true) { [self] in thread(of: player).waits.removeLast() }
        }
    }

    private func deliverAll(_ player: Player) {
        for drain in thread(of: player).draining { deliverAgain(player, drain) }
        runJobs(player) { [self] hasRun in
            if hasRun { deliverAll(player) }
        }
    }

    /// Lets a player take its steps until a subscriber has been called.
    func proceeds(_ player: Player, to listener: StreamGuest) {
        while listener.heard.isEmpty { player.takeSteps(1) }
    }

    /// Emits inside a callback that does not belong to this stream, and waits.
    func emitsAndWaits(_ player: Player, _ count: Int, waits: Int) {
        player.add("begin a callback") { [self] in
            whileActive(player) {
                for _ in 0..<count { player.next("emit") { [self] in emit(player) } }
                wait(player, waits)
            }
        }
    }
}
