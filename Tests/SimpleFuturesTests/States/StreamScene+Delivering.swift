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
        deliveries.append((mailbox, player, nil))
        if mailbox.kind == .queue { dispatch(player, mailbox) } else { drain(player, Drain(mailbox, .here)) }
    }

    /// Delivers an element whose delivery was started in the same step that appended it.
    func deliver(_ player: Player, _ direct: StreamState.Direct) {
        let mailbox = direct.mailbox.object
        deliveries.append((mailbox, player, direct.turn))
        let drain = Drain(mailbox, .here, turn: direct.turn)
        callOne(player, direct.served, drain)
        player.next("end directly") { [self] in
            if withState({ $0.endDirectly(direct) }) { return isDone(player, drain) }
            drain.previous = direct.served
            next(player, drain)
        }
    }

    /// A delivery in progress.
    final class Drain {
        let mailbox: Mailbox
        let delivery: DeliveryPlace
        var turn: UInt64
        var previous: StreamState.Served?
        /// Whether it is a callback that waits which delivers.
        let isAgain: Bool

        init(_ mailbox: Mailbox, _ delivery: DeliveryPlace, turn: UInt64 = 0, isAgain: Bool = false) {
            self.isAgain = isAgain
            self.mailbox = mailbox
            self.delivery = delivery
            self.turn = turn
        }
    }

    private func drain(_ player: Player, _ drain: Drain) {
        player.next("next") { [self] in next(player, drain) }
    }

    private func isDone(_ player: Player, _ drain: Drain) {
        let index = deliveries.lastIndex { $0.mailbox === drain.mailbox && $0.player === player }
        if let index { deliveries.remove(at: index) }
    }

    private func next(_ player: Player, _ drain: Drain) {
        let step = withState {
            $0.next(
                in: drain.mailbox, &drain.turn, after: &drain.previous, drain.delivery, pauses: false,
                isAgain: drain.isAgain, on: player.thread, extraAllowance)
        }
        if let index = deliveries.lastIndex(where: { $0.mailbox === drain.mailbox && $0.player === player }) {
            deliveries[index].turn = drain.turn
        }
        if let served = drain.previous.take() {
            player.next("release", isOwn: true) { _ = served.subscriber.take().takeContents() }
        }
        switch step {
        case .done: isDone(player, drain)
        case .goOn: self.drain(player, drain)
        case .pause, .stopped: break
        case .dispatch: dispatch(player, drain.mailbox)
        case .run(let served):
            call(player, served, drain)
            self.drain(player, drain)
        case .end(let subscriber, let contents, let signal):
            player.next("tell of the end", isOwn: true) {
                if subscriber.interest.contains(signal) { contents.body?(StreamEvent(end: signal), nil) }
            }
            self.drain(player, drain)
        }
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
            if served.done < served.count, !subscriber.isInterrupted { call(player, served, drain) }
        }
    }

    /// Calls a subscriber with one element; the callback may wait for other subscribers.
    private func callOne(_ player: Player, _ served: StreamState.Served, _ drain: Drain) {
        let subscriber = served.subscriber.object
        let contents = subscriber.contents
        let done = drain.mailbox.kind == .sink ? 0 : served.done
        // On the fast path the element already counts as delivered.
        let slot = served.slots + (served.count == 1 ? 0 : done)
        player.next("call", isOwn: true) { [self] in
            // Elements are delivered one after the other: no waiting subscriber has an earlier one.
            if let first = drain.mailbox.waiting.first, first.position.index < slot.pointee.payload.words.0 {
                overtaken += 1
            }
            contents.take(StreamEvent(slot, count: 1), .everything)
            guard let listener = listeners.first(where: { $0.subscriber === subscriber }) else { return }
            for _ in 0..<listener.waits { wait(player, drain) }
            listener.waits = 0
        }
    }

    /// Delivers inside a callback, unless another player delivers.
    private func wait(_ player: Player, _ drain: Drain) {
        player.next("wait") { [self] in
            guard withState({ _ in drain.mailbox.resume(drain.turn) }) else { return }
            deliveries.append((drain.mailbox, player, nil))
            self.drain(player, Drain(drain.mailbox, drain.delivery, isAgain: true))
        }
    }

    // MARK: Contexts

    private func dispatch(_ player: Player, _ mailbox: Mailbox) {
        player.next("dispatch") { [self] in
            let handed = withState { $0.dispatch(mailbox) }
            isDone(player, Drain(mailbox, .here))
            guard let (_, turn) = handed else { return }
            tasks.append((mailbox, turn))
            player.next("execute", isOwn: true) { [self] in
                for _ in 0..<(runsTwice ? 2 : 1) { queue.add("arrive") { [self] in arrive(mailbox, turn) } }
            }
        }
    }

    private func arrive(_ mailbox: Mailbox, _ turn: UInt64) {
        tasks.removeAll { $0.mailbox === mailbox && $0.turn == turn }
        let now = mailbox.turn
        guard withState({ _ in mailbox.claimDispatched(turn) }) else { return }
        if turn != now { staleArrivals += 1 }
        deliveries.append((mailbox, queue, nil))
        let drain = Drain(mailbox, .onContext)
        if dropsTasks { abandon(drain) } else { self.drain(queue, drain) }
    }

    private func abandon(_ drain: Drain) {
        queue.next("drop") { [self] in
            guard withState({ $0.abandon(drain.mailbox) }) != nil else { return isDone(queue, drain) }
            abandon(drain)
        }
    }
}

extension Player {
    /// The identity of the thread that the player simulates.
    var thread: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}
