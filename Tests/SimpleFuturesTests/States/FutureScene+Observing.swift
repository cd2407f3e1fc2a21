@testable import SimpleFutures

// As in `AnyFuture+Observing.swift`.

extension FutureScene {
    /// A guest who comes before all others.
    func hasGuest(_ form: Guest.Form) -> Guest {
        let player = Player("before")
        let guest = comes(player, form)
        player.takeAllSteps()
        guest.began = -1
        guest.returned = -1
        return guest
    }

    @discardableResult
    func comes(_ player: Player, _ form: Guest.Form) -> Guest {
        let guest = Guest(guests.count + 1, form)
        guests.append(guest)
        let probe = Probe()
        guest.probe = probe
        // These two may be withdrawn before they come.
        let observer = form == .removable ? Observer(callback(of: guest, probe)) : nil
        let waker = form == .waker ? self.waker(of: guest, probe) : nil
        guest.observer = observer ?? waker
        player.add("guest \(guest.number) comes, \(form)") { [self] in
            guest.began = clock
            switch form {
            case .here, .onQueue, .gathering, .race: comeAsCallback(player, guest, callback(of: guest, probe))
            case .removable: if let observer { add(player, guest, observer, isFirst: true) }
            case .underToken, .onQueueUnderToken: comeUnderToken(player, guest, Observer(callback(of: guest, probe)))
            case .waker: if let waker { comeAsWaker(player, guest, waker) }
            }
        }
        return guest
    }

    private func callback(of guest: Guest, _ probe: Probe) -> Callback {
        let hears = { [weak self] (source: AnyFuture) in
            guest.heard.append(source.phase)
            guard let self else { return }
            if !guest.form.isOnQueue { guest.turns.append(clock) }
            if guest.waits, let caller { drain(caller, .again) }
        }
        if guest.form.isOfMany {
            return Callback(
                guest.form == .race ? .race : .gathering, input: 0, of: GuestOfMany(guest, probe, hears))
        }
        nonisolated(unsafe) let isHeard = hears
        return Callback(
            route: guest.form.isOnQueue ? (usesDispatch ? dispatchRoute : route) : .immediate, kind: .transform,
            target: guest.target
        ) { source, target in
            probe.use()
            isHeard(source)
            _ = target?.succeed { Payload.initialize($0, to: 7) }
        }
    }

    private func comeAsCallback(_ player: Player, _ guest: Guest, _ callback: consuming Callback) {
        let parcel = Parcel(callback)
        // What `observe` sees of the future before it makes a callback of it all.
        if !guest.form.isOnQueue, !guest.form.isOfMany, future.glance.isAtRest, let callback = parcel.take() {
            future.deliver(callback.kind, to: callback.target, callback.body, future.glance.phase)
            guest.returned = clock
            return
        }
        let looks = { [self] in
            guard let callback = parcel.take() else { return }
            if PublishedByte.isLockFree, future.glance.hasAdditions {
                becomeObserver(player, guest, callback, isFirst: true)
            } else {
                addFirst(player, guest, callback)
            }
        }
        if isFine { player.next("look", looks) } else { looks() }
    }

    private func becomeObserver(
        _ player: Player, _ guest: Guest, _ callback: consuming Callback, isFirst: Bool = false
    ) {
        let observer = Observer(callback)
        guest.observer = observer
        add(player, guest, observer, isFirst: isFirst)
    }

    private func addFirst(_ player: Player, _ guest: Guest, _ callback: consuming Callback) {
        let parcel = Parcel(callback)
        var rest: Parcel<Callback>?
        var addition: FutureState.Addition?
        firstSection(
            player, "add the callback",
            [
                { [self] in state { future.announceAddition(to: &$0) } },
                { [self] in
                    var callback: Callback? = parcel.take()
                    addition = future.withState { $0.add(&callback) }
                    if let callback { rest = Parcel(callback) }
                },
                { [self] in
                    announce(addition)
                    if let addition {
                        // What comes back is that of one who waits no longer.
                        carryOut(player, guest, addition)
                    } else if let callback = rest?.take() {
                        becomeObserver(player, guest, callback)
                    }
                    rest = nil
                },
            ])
    }

    private func add(_ player: Player, _ guest: Guest, _ observer: Observer, isFirst: Bool = false) {
        var addition: FutureState.Addition?
        (isFirst ? firstSection : section)(
            player, "add the observer",
            [
                { [self] in state { future.announceAddition(to: &$0) } },
                { [self] in
                    var leftovers: [Observer] = []
                    addition = state { state in
                        if state.mayHaveLeftovers { leftovers = state.takeLeftovers() }
                        return state.add(observer)
                    }
                    _ = consume leftovers
                },
                { [self] in
                    announce(addition)
                    if let addition { carryOut(player, guest, addition) }
                },
            ])
    }

    private func announce(_ addition: FutureState.Addition?) {
        state { if addition == .deliver || $0.phase == .pending { future.publish($0) } }
    }

    private func carryOut(_ player: Player, _ guest: Guest, _ addition: FutureState.Addition) {
        let end = { [self] in guest.returned = clock }
        switch addition {
        case .deliver:
            deliverers.append(player)
            deliver(player, then: end)
        case .handOver: drain(player, .aside, then: end)
        case .waiting: end()
        case .refused:
            guest.isRefused = !guest.form.isUnderToken && !guest.isWithdrawn
            end()
        }
    }

    private func comeUnderToken(_ player: Player, _ guest: Guest, _ observer: Observer) {
        let link = ObserverLink(observer, of: future, under: token)
        observer.link = link
        guest.observer = observer
        player.next("add the link") { [self] in
            if token.add(link) {
                add(player, guest, observer)
            } else {
                player.next("detach") { link.detach() }
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

    private func comeAsWaker(_ player: Player, _ guest: Guest, _ waker: Waker) {
        firstSection(
            player, "add the waker",
            [
                { [self] in
                    if !future.add(waker) { guest.isRefused = !guest.isWithdrawn }
                }
            ])
    }

    // MARK: Going

    /// Takes a guest out, who has come by an observer.
    func withdraws(_ player: Player, _ guest: Guest) {
        player.add("withdraw guest \(guest.number)") { [self] in
            guard let observer = guest.observer else { return }
            firstSection(
                player, "withdraw",
                [
                    { [self] in
                        guard state({ $0.remove(observer) }) != .tooLate else { return }
                        guest.isWithdrawn = true
                        player.next("release", isOwn: true) { _ = observer.take() }
                    }
                ])
        }
    }

    /// Cancels the token: what is under it is taken out one by one.
    func cancelsToken(_ player: Player) {
        player.add("cancel the token") { [self] in
            guard let storage = token.storage, storage.flip() != nil else { return }
            detachNext(player, storage)
        }
    }

    private func detachNext(_ player: Player, _ storage: TokenStorage) {
        player.next("take a link", isOwn: hasOneCanceller) { [self] in
            guard let link = storage.withLock({ $0.popLink() }) else { return }
            player.next("detach") { link.detach() }
            detachNext(player, storage)
        }
    }

    /// Detaches what is under the token from this future alone.
    func cancels(_ player: Player) {
        player.add("look for the token's") { [self] in
            let links = state { $0.observers(under: token) }.compactMap(\.link)
            for link in links {
                player.next("take a link") { [self] in
                    if token.remove(link) { player.next("detach") { link.detach() } }
                }
            }
        }
    }

    /// Lets the future go: another one delivers in its stead.
    func abandons(_ player: Player) {
        player.add("release the future") { [self] in
            guard var heir = state({ $0.abandon() }) else { return }
            future = Future()
            future.withState { swap(&$0, &heir) }
            state { future.publish($0) }
            deliverers.append(player)
            deliver(player)
        }
    }
}
