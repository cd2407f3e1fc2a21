@testable import SimpleFutures
@testable import TestSupport

// As in `AnyFuture+Delivering.swift`.

extension FutureScene {
    /// Delivers, as one who was told to, to the first callback if that was taken out already, then to the others.
    func deliver(_ player: Player, first: Parcel<Callback>? = nil, then end: @escaping () -> Void = {}) {
        guard let first else { return drain(player, .toAll, then: end) }
        player.next("call the first", isOwn: true) { [self] in run(player, first) }
        drain(player, .toAll, then: end)
    }

    private func isDone(_ player: Player) { deliverers.removeAll { $0 === player } }

    /// Delivers as far as may be; `later` is what is to be done when somebody is left.
    func drain(
        _ player: Player, _ delivering: FutureState.Delivering, later: (() -> Void)? = nil,
        then end: @escaping () -> Void = {}
    ) {
        player.next("next, \(delivering)") { [self] in
            if !delivering.goesAheadOnly, gaveUp.contains(player.name) { return end() }
            let next = future.withState { state in
                // Just set: as much less as the scene allows less.
                let extra = FutureState.extraAllowance
                if state.allowance >= extra { state.allowance -= extra - min(extra, extraAllowance) }
                return state.next(delivering)
            }
            let goOn = { [self] in drain(player, delivering, later: later, then: end) }
            switch consume next {
            case .idle:
                if delivering != .aside { isDone(player) }
                if delivering == .again { gaveUp.insert(player.name) }
                return end()
            case .later: return (later ?? end)()
            case .goOnElsewhere:
                // Another thread is told to.
                isDone(player)
                deliverers.append(elsewhere)
                drain(elsewhere, .toAll)
                return end()
            case .run(let callback):
                let callback = Parcel(callback)
                player.next("call", isOwn: true) { [self] in run(player, callback) }
                goOn()
            case .runClaimed(let observer):
                runClaimed(player, observer)
                goOn()
            case .handOver(let observer, _):
                if delivering == .aside {
                    // Under the lock.
                    handOver(observer)
                } else {
                    player.next("hand over") { [self] in handOver(observer) }
                }
                goOn()
            }
        }
    }

    private func runClaimed(_ player: Player, _ observer: Observer) {
        player.next("claim", isOwn: observer.link == nil) { [self] in
            if observer.kind == .waker {
                observer.asWaker.wake()
            } else if observer.claim(), let callback = observer.take() {
                let callback = Parcel(callback)
                player.next("call", isOwn: true) { [self] in run(player, callback) }
            }
        }
    }

    private func handOver(_ observer: Observer) {
        guests.first { $0.observer === observer }?.turns.append(clock)
        // The context may drop its task: then the real thing is dropped.
        var handOver: HandOver? = dropsTasks ? HandOver(observer, of: future) : nil
        if handOver != nil { return queue.add("drop") { handOver = nil } }
        if arrivesAtEnd { return late.append(observer) }
        queue.add("arrive") { [self] in
            guard future.arrive(observer) else { return }
            runClaimed(queue, observer)
        }
    }

    /// The queue gets round to those who were handed over.
    func arriveLate() {
        for observer in late where future.arrive(observer) && observer.claim() {
            if let callback = observer.take() { run(queue, Parcel(callback)) }
        }
        late = []
    }

    private func run(_ player: Player, _ parcel: Parcel<Callback>) {
        guard let callback = parcel.take() else { return }
        caller = player
        defer { caller = nil }
        if callback.kind.isOfMany {
            callback.inputs.arrive(future, at: Int(callback.index))
        } else {
            future.deliver(callback.kind, to: callback.target, callback.body, future.phase)
        }
    }
}
