@testable import SimpleFutures
@testable import TestSupport

// As in `Trampoline`.

extension StreamScene: SceneOfThreads {
    func runJob(_ player: Player, _ job: Drain) {
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
