@testable import SimpleFutures
@testable import TestSupport

// As in `AnyFuture+Delivering.swift`.

extension FutureScene: SceneOfThreads {
    /// A delivery in progress on the stack of a player.
    final class Frame {
        let place: DeliveryPlace
        var isGivenUp = false

        init(_ place: DeliveryPlace) { self.place = place }
    }

    func enter(_ player: Player, _ place: DeliveryPlace) -> Frame {
        let frame = Frame(place)
        thread(of: player).draining.append(frame)
        return frame
    }

    func leave(_ player: Player, then goOn: @escaping () -> Void = {}) {
        player.next("leave", isOwn: true) { [self] in
            thread(of: player).draining.removeLast()
            goOn()
        }
    }

    /// Delivers: now, or when the callback that runs on this thread returns.
    func deliver(_ player: Player) {
        guard thread(of: player).isActive else { return deliver(player, first: nil) }
        player.next("end if nothing is left") { [self] in
            if state({ $0.endIfNothingIsLeft() }) { isDone(player) } else { submit(player, .here) }
        }
    }

    /// Delivers, first to the callback that was taken out already, if there is one.
    func deliver(_ player: Player, first: Parcel<Callback>?) {
        whileActive(player) {
            let frame = enter(player, .here)
            if let first { player.next("call the first", isOwn: true) { [self] in run(player, first) } }
            drain(player, frame)
            leave(player)
        }
    }

    func runJob(_ player: Player, _ job: DeliveryPlace) {
        let thread = thread(of: player)
        switch job {
        case .here:
            var isOver = true
            drain(player, enter(player, .here), isAgain: thread.isWaiting) { isOver = $0 }
            leave(player) { [self] in
                if !isOver { thread.jobs.insert(.here, at: 0) } else if !thread.mayGoOn() { deferLeft(player) }
            }
        case .onContext:
            dispatch(player, .foreign)
            player.next("may it go on?", isOwn: true) { [self] in if !thread.mayGoOn() { deferLeft(player) } }
        }
    }

    /// Defers the delivery of what is left.
    private func deferLeft(_ player: Player) {
        player.next("begin with what is left") { [self] in
            if state({ $0.beginLeft() }) { thread(of: player).jobs.insert(.onContext, at: 0) }
        }
    }

    func deliverAgain(_ player: Player, _ frame: Frame) {
        switch frame.place {
        case .here:
            drain(player, frame, isAgain: true) { [self] isOver in
                if isOver, !thread(of: player).mayGoOn() { deferLeft(player) }
            }
        case .onContext:
            player.next("has it given up?", isOwn: true) { [self] in
                guard frame.isGivenUp else {
                    frame.isGivenUp = true
                    return dispatch(player, .foreign)
                }
                player.next("begin again") { [self] in
                    if state({ $0.begin(.foreign) }) { dispatch(player, .foreign) }
                }
            }
        }
    }

    func blocks(_ player: Player) {
        let othersAreDone = players.allSatisfy { $0 === player || $0.isDone || thread(of: $0).isBlocked }
        if othersAreDone {
            heldUp = state { ($0.hasFirst ? 1 : 0) + $0.waiting.length + $0.queued.length + $0.foreign.length }
        }
    }

    private func isDone(_ player: Player) { deliverers.removeAll { $0 === player } }

    /// Delivers as far as may be.
    ///
    /// - Parameters:
    ///   - isAgain: Whether this happens in a callback that waits.
    ///   - end: Is passed whether the delivery is over; false if it has stopped because the wait is over.
    func drain(
        _ player: Player, _ frame: Frame, isAgain: Bool = false, then end: @escaping (_ isOver: Bool) -> Void = { _ in }
    ) {
        player.next("may it go on?", isOwn: true) { [self] in
            if frame.isGivenUp { return end(true) }
            guard !isAgain || thread(of: player).mayGoOn() else { return end(false) }
            player.next(isAgain ? "next, again" : "next") { [self] in next(player, frame, isAgain, then: end) }
        }
    }

    private func next(_ player: Player, _ frame: Frame, _ isAgain: Bool, then end: @escaping (_ isOver: Bool) -> Void) {
        let next = future.withState { state in
            if state.owner == nil { state.begin(on: player.thread) }
            // The allowance was just set: reduce it to that of the scene.
            let extra = FutureState.extraAllowance
            if state.allowance >= extra { state.allowance -= extra - min(extra, extraAllowance) }
            return state.next(on: player.thread, hasAllowance: !isAgain)
        }
        switch consume next {
        case .idle:
            isDone(player)
            frame.isGivenUp = isAgain
            return end(true)
        case .goOnElsewhere:
            // Another thread continues.
            isDone(player)
            deliverers.append(elsewhere)
            deliver(elsewhere, first: nil)
            return end(true)
        case .dispatch(let list): dispatch(player, list)
        case .run(let callback):
            let callback = Parcel(callback)
            player.next("call", isOwn: true) { [self] in run(player, callback) }
        case .runClaimed(let observer): runClaimed(player, observer)
        case .leaveForMain(let observer, _):
            player.next("execute") { [self] in execute(player, observer) }
            player.next("has left for main") { [self] in state { $0.hasLeftForMain() } }
        }
        drain(player, frame, isAgain: isAgain, then: end)
    }

    /// Dispatches what leaves the thread, for a player who has begun to.
    func dispatch(_ player: Player, _ list: Departures) {
        dispatch(player, FutureState.DepartureRun(list, extraAllowance))
    }

    private func dispatch(_ player: Player, _ run: FutureState.DepartureRun) {
        let list = run.list
        player.next("may it go on?", isOwn: true) { [self] in
            guard list == .queued || thread(of: player).mayGoOn() else {
                if !run.isGivenUp { player.next("end, \(list)") { [self] in state { $0.end(list) } } }
                return
            }
            player.next("dispatch, \(list)") { [self] in dispatchNext(player, run) }
        }
    }

    private func dispatchNext(_ player: Player, _ run: FutureState.DepartureRun) {
        var run = run
        let hasAllowance = run.list == .queued || !thread(of: player).isWaiting
        switch state({ $0.nextDeparture(&run, on: player.thread, hasAllowance: hasAllowance) }) {
        case .none: return
        case .goOnElsewhere:
            // Another thread continues.
            if run.list == .queued {
                dispatch(elsewhere, .queued)
            } else {
                whileActive(elsewhere) { dispatch(elsewhere, .foreign) }
            }
        case .deliver:
            deliverers.append(player)
            return deliver(player)
        case .wake(let waker):
            player.next("wake", isOwn: true) { waker.wake() }
            dispatch(player, run)
        case .dispatch(let observer, _):
            guard run.list == .foreign else {
                player.next("execute") { [self] in execute(player, observer) }
                return dispatch(player, run)
            }
            let frame = enter(player, .onContext)
            player.next("execute") { [self] in execute(player, observer) }
            leave(player) { [self] in
                run.isGivenUp = frame.isGivenUp
                dispatch(player, run)
            }
        }
    }

    private func runClaimed(_ player: Player, _ observer: Observer) {
        player.next("claim", isOwn: observer.link == nil) { [self] in
            if observer.kind == .waker {
                observer.wake()
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
            guard future.claimDispatched(observer) else { return }
            let thread = thread(of: player)
            thread.isDispatching = true
            runClaimed(player, observer)
            player.next("the task returns", isOwn: true) { thread.isDispatching = false }
            return
        }
        queue.add("arrive") { [self] in
            guard future.claimDispatched(observer) else { return }
            whileActive(queue) { runClaimed(queue, observer) }
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
        if thread(of: player).isOver { lateCalls += 1 }
        caller = player
        defer { caller = nil }
        if callback.kind.isOfMany {
            callback.inputs.arrive(future, at: Int(callback.index))
        } else {
            future.deliver(callback.kind, to: callback.target, callback.body, future.phase)
        }
    }
}
