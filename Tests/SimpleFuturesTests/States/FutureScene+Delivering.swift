@testable import SimpleFutures
@testable import TestSupport

// As in `AnyFuture+Delivering.swift`.

extension FutureScene {
    /// Delivers, first to the callback that was taken out already, if there is one.
    func deliver(_ player: Player, first: Parcel<Callback>? = nil, then end: @escaping () -> Void = {}) {
        guard let first else { return drain(player, then: end) }
        player.next("call the first", isOwn: true) { [self] in run(player, first) }
        drain(player, then: end)
    }

    private func isDone(_ player: Player) { deliverers.removeAll { $0 === player } }

    /// Delivers as far as may be.
    ///
    /// - Parameter isAgain: Whether this happens in a callback that waits.
    func drain(_ player: Player, isAgain: Bool = false, then end: @escaping () -> Void = {}) {
        player.next(isAgain ? "next, again" : "next") { [self] in
            if gaveUp.contains(player.name) { return end() }
            let next = future.withState { state in
                // The allowance was just set: reduce it to that of the scene.
                let extra = FutureState.extraAllowance
                if state.allowance >= extra { state.allowance -= extra - min(extra, extraAllowance) }
                return state.next(hasAllowance: !isAgain)
            }
            let goOn = { [self] in drain(player, isAgain: isAgain, then: end) }
            switch consume next {
            case .idle:
                isDone(player)
                if isAgain { gaveUp.insert(player.name) }
                return end()
            case .goOnElsewhere:
                // Another thread continues.
                isDone(player)
                deliverers.append(elsewhere)
                drain(elsewhere)
                return end()
            case .dispatch(let list): dispatch(player, list, then: goOn)
            case .run(let callback):
                let callback = Parcel(callback)
                player.next("call", isOwn: true) { [self] in run(player, callback) }
                goOn()
            case .runClaimed(let observer):
                runClaimed(player, observer)
                goOn()
            case .leaveForMain(let observer, _):
                player.next("execute") { [self] in execute(player, observer) }
                player.next("has left for main") { [self] in state { $0.hasLeftForMain() } }
                goOn()
            }
        }
    }

    /// Dispatches what leaves the thread, for a player who has begun to.
    ///
    /// - Parameter isAgain: Whether this happens in a callback that waits, which its context has run at once.
    func dispatch(
        _ player: Player, _ list: Departures, isAgain: Bool = false, then end: @escaping () -> Void
    ) {
        player.next("dispatch, \(list)") { [self] in
            var isGivenUp = !isAgain && gaveUpList.contains(player.name)
            let isOwner = deliverers.contains { $0 === player }
            let departure = state { $0.nextDeparture(list, isOwner: isOwner, &isGivenUp) }
            if !isAgain, !isGivenUp { gaveUpList.remove(player.name) }
            switch departure {
            case .none: return end()
            case .deliver:
                deliverers.append(player)
                // A separate delivery: what the player has given up before stays given up.
                let hasGivenUp = gaveUp.remove(player.name)
                return deliver(player) { [self] in
                    if let hasGivenUp { gaveUp.insert(hasGivenUp) }
                    end()
                }
            case .wake(let waker): player.next("wake", isOwn: true) { waker.wake() }
            case .dispatch(let observer, _): player.next("execute") { [self] in execute(player, observer) }
            }
            dispatch(player, list, isAgain: isAgain, then: end)
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

    private func execute(_ player: Player, _ observer: Observer) {
        guests.first { $0.observer === observer }?.turns.append(clock)
        // If the context drops its task, the real object is released.
        var dispatch: CallbackTask? = dropsTasks ? CallbackTask(observer, of: future) : nil
        if dispatch != nil { return queue.add("drop") { dispatch = nil } }
        if arrivesAtEnd { return late.append(observer) }
        if runsAtOnce {
            if future.claimDispatched(observer) { runClaimed(player, observer) }
            return
        }
        queue.add("arrive") { [self] in
            guard future.claimDispatched(observer) else { return }
            runClaimed(queue, observer)
        }
    }

    /// Runs the tasks that were dispatched to the queue.
    func arriveLate() {
        for observer in late where future.claimDispatched(observer) && observer.claim() {
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
