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
        let guest = Guest(guests.count + 1, form)
        guests.append(guest)
        let probe = Probe()
        guest.probe = probe
        // These two forms can be withdrawn before they are registered.
        let observer = form == .removable ? Observer(callback(of: guest, probe)) : nil
        let waker = form == .waker ? self.waker(of: guest, probe) : nil
        guest.observer = observer ?? waker
        player.add("guest \(guest.number) comes, \(form)") { [self] in
            guest.began = clock
            switch form {
            case .here, .onQueue, .gathering, .race: comeAsCallback(player, guest, callback(of: guest, probe))
            case .removable: if let observer { add(player, guest, observer) }
            case .underToken, .onQueueUnderToken: comeUnderToken(player, guest, Observer(callback(of: guest, probe)))
            case .waker: if let waker, !future.add(waker) { guest.isRefused = !guest.isWithdrawn }
            }
        }
        return guest
    }

    private func callback(of guest: Guest, _ probe: Probe) -> Callback {
        let hears = { [weak self] (source: AnyFuture) in
            guest.heard.append(source.phase)
            guard let self else { return }
            if !guest.form.isOnQueue { guest.turns.append(clock) }
            guard guest.waits, let caller else { return }
            drain(caller, isAgain: true) { [self] in
                guard guest.form.isOnQueue else { return }
                gaveUpList.insert(caller.name)
                dispatch(caller, .foreign, isAgain: true) {}
            }
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

    private func comeAsCallback(_ player: Player, _ guest: Guest, _ callback: consuming Callback) {
        let parcel = Parcel(callback)
        if !guest.form.isOnQueue, !guest.form.isOfMany, state({ $0.beginAtRest() }) {
            deliverers.append(player)
            deliver(player, first: parcel) { [self] in guest.returned = clock }
        } else if let callback = parcel.take() {
            addFirst(player, guest, callback)
        }
    }

    private func addFirst(_ player: Player, _ guest: Guest, _ callback: consuming Callback) {
        var callback: Callback? = consume callback
        let addition = future.withState { $0.add(&callback, isOwner: false) }
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
            return state.add(observer)
        }
        _ = consume leftovers
        carryOut(player, guest, addition)
    }

    private func carryOut(_ player: Player, _ guest: Guest, _ addition: FutureState.Addition) {
        let end = { [self] in guest.returned = clock }
        switch addition {
        case .deliver:
            deliverers.append(player)
            deliver(player, then: end)
        case .dispatch(let kind): dispatch(player, kind, then: end)
        case .waiting, .waitingForWork: end()
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
                player.next("add the observer") { [self] in add(player, guest, observer) }
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

    /// Detaches the callbacks under the token from this future only.
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

    /// Releases the future; a new future takes over its callbacks, and the player delivers the failure to them.
    func abandons(_ player: Player) {
        player.add("release the future") { [self] in
            guard var heir = state({ $0.abandon() }) else { return }
            future = Future()
            future.withState { swap(&$0, &heir) }
            future.publish(FuturePhase.abandoned.rawValue)
            deliverers.append(player)
            deliver(player)
        }
    }
}

/// A registration with the future of a scene, and its results.
final class Guest: @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    /// The form of the registration, which decides its path through the future's code.
    enum Form: CaseIterable {
        /// It cannot be removed; it is called on the thread that settles the future.
        case here
        /// The same, but on a queue.
        case onQueue
        /// It is called on the thread that settles the future, if it is not withdrawn before.
        case removable
        /// It is called on the thread that settles the future, unless its token detaches it.
        case underToken
        /// The same, but on a queue.
        case onQueueUnderToken
        case waker
        /// It waits for all of several futures.
        case gathering
        /// It waits for the first of several futures.
        case race

        var isUnderToken: Bool { self == .underToken || self == .onQueueUnderToken }
        var isOnQueue: Bool { self == .onQueue || self == .onQueueUnderToken }
        var isOfMany: Bool { self == .gathering || self == .race }
        /// Whether guests of this form are called in the order of their registration.
        var isInOrder: Bool { self != .waker && !isOfMany }
        var hasTarget: Bool { isInOrder }
    }

    let number: Int
    let form: Form
    let target = Future<Int>()
    /// The times when its registration began and when it returned.
    var began = 0
    var returned = Int.max
    /// The times when the future dispatched or called it, and the phases of the calls.
    var turns: [Int] = []
    var heard: [FuturePhase] = []
    var isWithdrawn = false
    var isRefused = false
    /// For a guest that waits for several futures: whether the others have completed it.
    var isOver = false
    /// Whether its callback waits for the other guests.
    var waits = false
    weak var probe: Probe?
    /// For the players that withdraw it.
    weak var observer: Observer?

    init(_ number: Int, _ form: Form) {
        self.number = number
        self.form = form
        // A producer that is never released, so that a lost completion is detected instead of breaking the target.
        _ = target.gainProducer()
    }

    var isReleased: Bool { probe == nil }

    /// Returns the phase of its target, or nil as long as it is unchanged.
    func outcome() -> FuturePhase? {
        if target.phase != .pending { return target.phase }
        return target.withState { $0.loseProducer() } ? .abandoned : nil
    }
}

/// The inputs of a future that depends on several ones, as seen by one of them.
final class GuestOfMany: Inputs, @unchecked Sendable {
    // Sendable: a scene is used by one thread.
    private weak var guest: Guest?
    private let probe: Probe
    private let arrival: (AnyFuture) -> Void

    init(_ guest: Guest, _ probe: Probe, _ arrival: @escaping (AnyFuture) -> Void) {
        self.guest = guest
        self.probe = probe
        self.arrival = arrival
        super.init()
    }

    override var isOver: Bool { guest?.isOver ?? true }

    override func arrive(_ source: AnyFuture, at index: Int) {
        probe.use()
        arrival(source)
    }
}

/// Carries a noncopyable value from one step to another.
final class Parcel<Value: ~Copyable> {
    private var value: Value?

    init(_ value: consuming Value) { self.value = consume value }

    func take() -> Value? { value.take() }
}
