@testable import SimpleFutures
@testable import TestSupport

// As in `AnyFuture+Observing.swift`.

extension FutureScene {
    /// Adds a guest before the steps begin.
    @discardableResult
    func hasGuest(_ form: Guest.Form) -> Guest {
        let guest = before { comes($0, form) }
        guest.began = -1
        guest.returned = -1
        return guest
    }

    @discardableResult
    func comes(_ player: Player, _ form: Guest.Form) -> Guest {
        let (guest, come) = newGuest(form)
        player.add("guest \(guest.number) comes, \(form)") { come(player) }
        return guest
    }

    /// Returns a guest and its registration.
    private func newGuest(_ form: Guest.Form) -> (Guest, come: (Player) -> Void) {
        let guest = Guest(guests.count + 1, form)
        guests.append(guest)
        let probe = Probe()
        guest.probe = probe
        // These two forms can be withdrawn before they are registered.
        let observer = form == .removable ? Observer(callback(of: guest, probe)) : nil
        let waker = form == .waker ? self.waker(of: guest, probe) : nil
        guest.observer = observer ?? waker
        let come = { [self] (player: Player) in
            guest.began = clock
            switch form {
            case .here, .onQueue, .gathering, .race: comeAsCallback(player, guest, callback(of: guest, probe))
            case .removable: if let observer { add(player, guest, observer) }
            case .underToken, .onQueueUnderToken: comeUnderToken(player, guest, Observer(callback(of: guest, probe)))
            case .waker: if let waker, !future.add(waker) { guest.isRefused = !guest.isWithdrawn }
            }
            player.next("return", isOwn: true) { [self] in guest.returned = clock }
        }
        return (guest, come)
    }

    private func callback(of guest: Guest, _ probe: Probe) -> Callback {
        let hears = { [weak self] (source: AnyFuture) in
            guest.heard.append(source.phase)
            guard let self else { return }
            if !guest.form.isOnQueue { guest.turns.append(clock) }
            if let caller { act(caller, guest) }
        }
        if guest.form.isOfMany {
            return Callback(
                guest.form == .race ? .race : .gathering, input: 0, of: GuestOfMany(guest, probe, hears))
        }
        nonisolated(unsafe) let isHeard = hears
        return Callback(
            route: guest.form.isOnQueue ? (usesDispatch ? dispatchRoute : route) : .immediate, kind: kind,
            target: guest.target
        ) { source, target in
            probe.use()
            isHeard(source)
            _ = target?.succeed { Payload.initialize($0, to: 7) }
        }
    }

    /// Does what a guest does in its callback.
    private func act(_ player: Player, _ guest: Guest) {
        if let form = guest.brings {
            let (other, come) = newGuest(form)
            player.next("bring guest \(other.number), \(form)") { come(player) }
        }
        for count in guest.waits { wait(player, count) }
    }

    private func comeAsCallback(_ player: Player, _ guest: Guest, _ callback: consuming Callback) {
        let parcel = Parcel(callback)
        let isAtRest = !thread(of: player).isActive && !guest.form.isOnQueue && !guest.form.isOfMany
        if isAtRest, state({ $0.beginAtRest(on: player.thread) }) {
            deliverers.append(player)
            deliver(player, first: parcel)
        } else if let callback = parcel.take() {
            addFirst(player, guest, callback)
        }
    }

    private func addFirst(_ player: Player, _ guest: Guest, _ callback: consuming Callback) {
        var callback: Callback? = consume callback
        let addition = future.withState { $0.add(&callback, on: threadIfSettled(player)) }
        if let addition {
            // If `callback` is not nil now, it is a replaced stale callback, to be released.
            carryOut(player, guest, addition)
        } else if let callback {
            // In the same step, because the attempt to add the callback has not changed the state.
            let observer = Observer(callback)
            guest.observer = observer
            add(player, guest, observer)
        }
    }

    private func add(_ player: Player, _ guest: Guest, _ observer: Observer) {
        var leftovers: [Observer] = []
        let addition = state { state in
            if state.mayHaveLeftovers { leftovers = state.takeLeftovers() }
            return state.add(observer, on: threadIfSettled(player))
        }
        _ = consume leftovers
        carryOut(player, guest, addition)
    }

    private func carryOut(_ player: Player, _ guest: Guest, _ addition: FutureState.Addition) {
        switch addition {
        case .deliver:
            deliverers.append(player)
            deliver(player)
        case .dispatch(.queued): dispatch(player, .queued)
        case .dispatch(.foreign): submit(player, .onContext)
        case .waiting, .waitingForWork: break
        case .refused: guest.isRefused = !guest.form.isUnderToken && !guest.isWithdrawn
        }
    }

    private func threadIfSettled(_ player: Player) -> UnsafeRawPointer? {
        future.phase == .pending ? nil : player.thread
    }

    private func comeUnderToken(_ player: Player, _ guest: Guest, _ observer: Observer) {
        let link = ObserverLink(observer, of: future, under: token)
        observer.link = link
        guest.observer = observer
        player.next("add the link") { [self] in
            if token.add(link) {
                player.next("add the observer") { [self] in add(player, guest, observer) }
            } else {
                player.next("detach") { TokenLink.detach { $0(link) } }
            }
        }
    }

    private func waker(of guest: Guest, _ probe: Probe) -> Waker {
        let waker = Waker()
        waker.set { [weak self] _ in
            probe.use()
            if let self { guest.heard.append(future.phase) }
        }
        return waker
    }

    // MARK: Unsubscribing

    /// Withdraws a guest that was registered by an observer.
    func withdraws(_ player: Player, _ guest: Guest) {
        player.add("withdraw guest \(guest.number)") { [self] in
            guard let observer = guest.observer else { return }
            guard state({ $0.remove(observer) }) != .tooLate else { return }
            guest.isWithdrawn = true
            player.next("release", isOwn: true) { _ = observer.take() }
        }
    }

    /// Cancels the token: its links are removed one by one.
    func cancelsToken(_ player: Player) {
        player.add("cancel the token") { [self] in
            guard let storage = token.storage, storage.flip() != nil else { return }
            player.next("take the links", isOwn: hasOneCanceller) { [self] in
                var links = LinkedList<TokenLink>()
                storage.withLock { $0.moveLinks(to: &links) }
                var taken: [TokenLink] = []
                while let link = links.popFirst() { taken.append(link) }
                leaveNext(player, taken, 0)
            }
        }
    }

    private func leaveNext(_ player: Player, _ links: [TokenLink], _ index: Int) {
        guard index < links.count else {
            return player.next("cancel the targets") { for link in links { link.cancelTarget() } }
        }
        player.next("leave") { [self] in
            links[index].leave()
            leaveNext(player, links, index + 1)
        }
    }

    /// Detaches the callbacks under the token from this future only.
    func cancels(_ player: Player) {
        player.add("look for the token's") { [self] in
            let links = state { $0.observers(under: token) }.compactMap(\.link)
            for link in links {
                player.next("take a link") { [self] in
                    if token.claim(link) { player.next("detach") { TokenLink.detach { $0(link) } } }
                }
            }
        }
    }

    /// Releases the future; a new future takes over its callbacks, and the player delivers the failure to them.
    func abandons(_ player: Player) {
        player.add("release the future") { [self] in
            guard var heir = state({ $0.abandon(on: player.thread) }) else { return }
            future = Future()
            future.withState { swap(&$0, &heir) }
            future.publish(FuturePhase.abandoned.rawValue)
            deliverers.append(player)
            deliver(player)
        }
    }
}
