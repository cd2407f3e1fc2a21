@testable import SimpleFutures
@testable import TestSupport

// As in `Trampoline`.

extension StreamScene: SceneOfThreads {
    func runJob(_ player: Player, _ job: Drain) {
        let thread = thread(of: player)
        if thread.isWaiting { job.extent = .whileWaiting }
        let stopped = { [self] in
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
        if let served = job.mailbox.started.take() {
            run(player, .init(served, in: job.mailbox), job, ifStopped: stopped)
        } else {
            run(player, job, ifStopped: stopped)
        }
    }

    /// Delivers what was started, and what has come since.
    func run(
        _ player: Player, _ direct: StreamState.Direct, _ drain: Drain, ifStopped stopped: @escaping () -> Void = {}
    ) {
        drain.turn = direct.turn
        inFrame(player, drain, ifStopped: stopped) {
            player.next("look at what was started") { [self] in
                var served = direct.served
                guard !served.subscriber.object.isInterrupted else {
                    drain.previous = served
                    return player.next("next") { [self] in next(player, drain) }
                }
                if served.subscriber.object.place == .done { lateCalls += 1 }
                callOne(player, served, drain)
                player.next("end directly") { [self] in
                    if withState({ $0.endDirectly(direct) }) { return isDone(drain) }
                    served.done = 1
                    drain.previous = served
                    drain.hasRun = true
                    next(player, drain)
                }
            }
        }
    }

    func blocks(_: Player) {}

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
