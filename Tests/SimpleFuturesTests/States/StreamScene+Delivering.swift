@testable import SimpleFutures
@testable import TestSupport

// As in `StreamCore+Delivering.swift`.

extension StreamScene {
    func deliver(_ player: Player, _ wake: StreamState.Wake) {
        switch wake {
        case .nothing: break
        case .one(let mailbox): deliver(player, mailbox)
        case .several(let mailboxes):
            for mailbox in mailboxes where mailbox.kind != .immediate { deliver(player, mailbox) }
            for mailbox in mailboxes where mailbox.kind == .immediate { deliver(player, mailbox) }
        }
    }

    func deliver(_ player: Player, _ mailbox: Mailbox) {
        let drain = begin(mailbox, .here)
        switch mailbox.kind {
        case .queue: dispatch(player, drain)
        case .sink: run(player, drain)
        case .immediate, .main, .custom: submit(player, drain)
        }
    }

    /// Delivers an element that was started in the same step that appended it: now, or in its turn.
    func deliver(_ player: Player, _ direct: StreamState.Direct) {
        let mailbox = direct.mailbox.object
        let drain = begin(mailbox, .here)
        if mailbox.kind == .sink {
            run(player, direct, drain)
        } else if !thread(of: player).isActive {
            whileActive(player) { run(player, direct, drain) }
        } else {
            mailbox.started = direct.served
            thread(of: player).jobs.append(drain)
        }
    }

    /// A delivery in progress, or one that a thread will begin.
    final class Drain {
        let mailbox: Mailbox
        let place: DeliveryPlace
        let pausing: Bool
        var extent = Extent.upToLimit
        var turn: UInt64 = 0
        /// The number of the delivery that it has, or will begin with.
        var ownTurn: UInt64
        var previous: StreamState.Served?
        var hasRun = false
        var isStopped = false

        init(_ mailbox: Mailbox, _ place: DeliveryPlace, pausing: Bool) {
            self.mailbox = mailbox
            self.place = place
            self.pausing = pausing
            ownTurn = mailbox.turn
        }
    }

    enum Extent {
        case upToLimit
        case whileWaiting
        case oneCallback
    }

    private func begin(_ mailbox: Mailbox, _ place: DeliveryPlace, pausing: Bool? = nil) -> Drain {
        let drain = Drain(mailbox, place, pausing: pausing ?? (mailbox.kind != .sink))
        deliveries.append(drain)
        return drain
    }

    func isDone(_ drain: Drain) { deliveries.removeAll { $0 === drain } }

    /// Ends a delivery, and begins another one with what it has left.
    func replace(_ drain: Drain, place: DeliveryPlace? = nil, pausing: Bool? = nil) -> Drain {
        isDone(drain)
        return begin(drain.mailbox, place ?? drain.place, pausing: pausing)
    }

    /// Delivers until nothing is left, others go on, or a wait is over.
    func run(_ player: Player, _ drain: Drain, ifStopped stopped: @escaping () -> Void = {}) {
        inFrame(player, drain, ifStopped: stopped) {
            player.next("next") { [self] in next(player, drain) }
        }
    }

    func inFrame(
        _ player: Player, _ drain: Drain, ifStopped stopped: @escaping () -> Void = {}, _ body: () -> Void
    ) {
        let thread = thread(of: player)
        thread.draining.append(drain)
        body()
        player.next("leave", isOwn: true) {
            thread.draining.removeLast()
            if drain.isStopped { stopped() }
        }
    }

    func next(_ player: Player, _ drain: Drain) {
        let thread = thread(of: player)
        let pauses = drain.pausing && drain.hasRun && !thread.jobs.isEmpty
        let stops = drain.hasRun && drain.extent != .upToLimit && (drain.extent == .oneCallback || !thread.mayGoOn())
        let step = withState {
            $0.next(
                in: drain.mailbox, &drain.turn, after: &drain.previous, drain.place, pauses: pauses,
                isAgain: drain.extent != .upToLimit, stops: stops, on: player.thread, extraAllowance)
        }
        drain.ownTurn = drain.turn
        if let served = drain.previous.take() {
            player.next("release", isOwn: true) { _ = served.subscriber.take().takeContents() }
        }
        switch step {
        case .done: return isDone(drain)
        case .stopped: return drain.isStopped = true
        case .pause: return thread.jobs.append(replace(drain))
        case .dispatch: return goOnLater(player, drain)
        case .goOn: break
        case .run(let served): call(player, served, drain)
        case .end(let subscriber, let signal):
            player.next("tell of the end", isOwn: true) { [self] in
                let subscriber = subscriber.take()
                let contents = subscriber.takeContents()
                if isTooEarlyForEnd(of: subscriber) { overtaken += 1 }
                if subscriber.interest.contains(signal) { contents.body?(StreamEvent(end: signal), nil) }
                act(player, subscriber)
            }
        }
        drain.hasRun = true
        player.next("next") { [self] in next(player, drain) }
    }

    /// Calls a subscriber with its elements, until it is interrupted.
    private func call(_ player: Player, _ served: StreamState.Served, _ drain: Drain) {
        let contents = served.subscriber.object.contents
        if drain.mailbox.kind == .sink {
            return player.next("call with \(served.count)", isOwn: true) {
                contents.take(StreamEvent(served.slots, count: served.count), .everything)
                drain.previous = served
                drain.previous?.done = served.count
            }
        }
        callOne(player, served, drain)
        player.next("look", isOwn: served.done + 1 == served.count) { [self] in
            var served = served
            served.done += 1
            drain.previous = served
            let subscriber = served.subscriber.object
            let pauses = drain.pausing && !thread(of: player).jobs.isEmpty
            if served.done < served.count, !subscriber.isInterrupted, !pauses { call(player, served, drain) }
        }
    }

    /// Calls a subscriber with one element; the callback may wait for other subscribers.
    func callOne(_ player: Player, _ served: StreamState.Served, _ drain: Drain) {
        let subscriber = served.subscriber.object
        let contents = subscriber.contents
        let done = served.done
        let slot = served.slots + done
        player.next("call", isOwn: true) { [self] in
            // Elements are delivered one after the other: no waiting subscriber has an earlier one.
            if let first = drain.mailbox.waiting.first, first.position.index < slot.pointee.payload.words.0 {
                overtaken += 1
            }
            if done > 0, subscriber.place == .done || subscriber.place == .leaving { lateCalls += 1 }
            contents.take(StreamEvent(slot, count: 1), .everything)
            act(player, subscriber)
        }
    }

    /// Does what a subscriber does in its first callback.
    private func act(_ player: Player, _ subscriber: Subscriber) {
        guard let listener = listeners.first(where: { $0.subscriber === subscriber }) else { return }
        if listener.leaves {
            player.next("leave") { [self] in
                if withState({ $0.removeEarly(subscriber) }) != nil { listener.isRemoved = true }
            }
        }
        listener.leaves = false
        for _ in 0..<listener.emits { player.next("emit") { [self] in emit(player) } }
        listener.emits = 0
        if let form = listener.brings.take() {
            let other = StreamGuest(listeners.count + 1, form)
            listeners.append(other)
            player.next("bring listener \(other.number), \(form)") { [self] in come(player, other) }
        }
        for count in listener.waits { wait(player, count) }
        listener.waits = []
    }

    /// Whether a subscriber on the same context has yet to receive elements.
    private func isTooEarlyForEnd(of subscriber: Subscriber) -> Bool {
        guard let listener = listeners.first(where: { $0.subscriber === subscriber }) else { return false }
        return listeners.contains {
            $0.form == listener.form.withElements && $0.subscriber?.place == .waiting
                && ($0.subscriber?.position).map { !state.log.isAtEnd($0) } ?? false
        }
    }

    /// Delivers inside a callback that waits, unless another player delivers.
    func deliverAgain(_ player: Player, _ frame: Drain) {
        player.next("may it go on?", isOwn: true) { [self] in
            let mailbox = frame.mailbox
            guard thread(of: player).mayGoOn(), mailbox.kind != .custom || frame.place != .here else { return }
            player.next("deliver again") { [self] in
                guard withState({ _ in mailbox.resume(frame.turn) }) else { return }
                let drain = begin(mailbox, frame.place, pausing: mailbox.kind == .immediate || mailbox.kind == .queue)
                drain.extent = .whileWaiting
                run(player, drain) {
                    player.next("give up") { [self] in
                        withState { $0.giveUp(mailbox) }
                        isDone(drain)
                    }
                }
            }
        }
    }

    // MARK: Contexts

    private func goOnLater(_ player: Player, _ drain: Drain) {
        if drain.place == .onContext, drain.mailbox.kind == .custom {
            submit(player, replace(drain, place: .here))
        } else {
            dispatch(player, drain)
        }
    }

    private func dispatch(_ player: Player, _ drain: Drain) {
        let mailbox = drain.mailbox
        player.next("dispatch") { [self] in
            guard let (route, turn) = withState({ $0.dispatch(mailbox) }) else { return abandon(player, drain) }
            isDone(drain)
            tasks.append((mailbox, turn))
            dispatching += 1
            if route.kind == .custom, runsAtOnce {
                let thread = thread(of: player)
                let outer = thread.isDispatching
                thread.isDispatching = true
                player.next("arrive") { [self] in arrive(player, mailbox, turn) }
                player.next("return", isOwn: true) { thread.isDispatching = outer }
            } else {
                player.next("execute", isOwn: true) { [self] in
                    for _ in 0..<(runsTwice ? 2 : 1) {
                        queue.add("arrive") { [self] in arrive(queue, mailbox, turn) }
                    }
                }
            }
            player.next("release the context", isOwn: mailbox.kind != .custom) { [self] in
                if mailbox.kind == .custom { _ = withState { $0.takeRoute(of: mailbox) } }
                dispatching -= 1
            }
        }
    }

    private func arrive(_ player: Player, _ mailbox: Mailbox, _ turn: UInt64) {
        tasks.removeAll { $0.mailbox === mailbox && $0.turn == turn }
        let now = mailbox.turn
        guard withState({ _ in mailbox.claimDispatched(turn) }) else { return }
        if turn != now { staleArrivals += 1 }
        let thread = thread(of: player)
        let drain = begin(mailbox, .onContext, pausing: !thread.isDispatching)
        if dropsTasks { return abandon(player, drain) }
        guard thread.isDispatching else { return whileActive(player) { run(player, drain) } }
        if thread.isWaiting { drain.extent = .oneCallback }
        thread.isDispatching = false
        run(player, drain) {
            player.next("hand over the rest") { [self] in
                if withState({ _ in mailbox.route.isOpen }) {
                    submit(player, replace(drain, place: .here))
                } else {
                    run(player, replace(drain, pausing: false))
                }
            }
        }
        player.next("the task returns", isOwn: true) { thread.isDispatching = true }
    }

    private func abandon(_ player: Player, _ drain: Drain) {
        player.next("drop") { [self] in
            guard withState({ $0.abandon(drain.mailbox) }) != nil else { return isDone(drain) }
            abandon(player, drain)
        }
    }
}

extension Player {
    /// The identity of the thread that the player simulates.
    var thread: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}
