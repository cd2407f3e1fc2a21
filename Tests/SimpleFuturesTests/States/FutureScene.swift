import Dispatch

@testable import SimpleFutures
@testable import TestSupport

/// A future and the players that settle, observe, detach and release it, in the same steps as `AnyFuture`.
///
/// The state and the work under the lock are the future's own. The scene repeats the code of `AnyFuture` around them,
/// cut into steps: decide under the lock, then act.
class FutureScene: Scene, @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    var future = Future<Int>()
    let token = CancelToken()
    var guests: [Guest] = []
    /// The queue to which callbacks are dispatched; it keeps the order.
    lazy var queue = player("queue")
    let route = _Route.custom(ManualContext())
    /// Whether that is a Dispatch queue, which may run ahead of other players.
    var usesDispatch = false
    /// Whether the queue runs its tasks only after all other steps, which makes far fewer interleavings.
    var arrivesAtEnd = false
    /// The callbacks dispatched to it until then.
    var late: [Observer] = []
    /// Whether it runs its tasks inside of the call that dispatches them.
    var runsAtOnce = false
    /// Whether it drops its tasks.
    var dropsTasks = false
    let dispatchRoute = _Route.queue(.global())
    /// The kind of the callbacks that have a target.
    var kind = ObserverKind.transform

    /// The phases set by the players that settled the future.
    var winners: [FuturePhase] = []
    /// The players that were asked to deliver and have not finished.
    var deliverers: [Player] = []
    var threads: [ObjectIdentifier: SceneThread<DeliveryPlace, Frame>] = [:]
    /// The number of callbacks that began although the wait around them was over.
    var lateCalls = 0
    /// The number of callbacks that were left when a callback waited, and all other players had finished.
    var heldUp = 0
    /// The number of additional callbacks that a thread runs before another thread continues.
    var extraAllowance = FutureState.extraAllowance
    /// The thread that continues then.
    lazy var elsewhere = player("elsewhere")
    /// Whether a callback can be registered for which another thread continues.
    var mayGoOnElsewhere = true
    /// Whether the token is cancelled in one way only, so that no other step removes a link then.
    var hasOneCanceller = true
    /// Whether the future must be settled at the end.
    var settlesAtEnd = false
    /// The player that runs the current callback.
    var caller: Player?
    private var lastPhase = FuturePhase.pending

    func state<Result: ~Copyable>(_ body: (inout FutureState) -> Result) -> Result { future.withState(body) }

    // MARK: Settling

    func settles(_ player: Player, _ phase: FuturePhase) {
        player.add("settle as \(phase)") { [self] in settle(player, phase) }
    }

    /// Settles it inside a callback of another future, which waits and then returns.
    func settlesInCallback(_ player: Player, _ phase: FuturePhase, waits: [Int] = []) {
        player.add("settle as \(phase) in a callback") { [self] in
            whileActive(player) {
                settle(player, phase)
                for count in waits { wait(player, count) }
            }
        }
    }

    /// Releases a producer that could have completed the future.
    func loses(_ player: Player) {
        player.add("lose a producer") { [self] in
            if state({ $0.loseProducer() }) { settles(player, .failed) }
        }
    }

    private func settle(_ player: Player, _ phase: FuturePhase) {
        let isDeferred = thread(of: player).isActive
        var isAnyLeft = true
        var waker: Observer?
        var first: Callback?
        let settlement = future.withState { state -> FutureState.Settlement? in
            let settlement = state.settle(phase, on: player.thread)
            guard let settlement else { return nil }
            write(phase)
            switch settlement {
            case .deliver: if isDeferred { isAnyLeft = !state.endIfNothingIsLeft() } else { first = state.takeFirst() }
            case .arrive: first = state.takeArrival()
            case .wake: waker = state.takeWaker()
            case .settled: break
            }
            future.publish(phase.rawValue)
            return settlement
        }
        var parcel: Parcel<Callback>?
        if let first { parcel = Parcel(first) }
        guard let settlement else { return }
        winners.append(phase)
        carryOut(player, settlement, isAnyLeft, parcel, waker)
    }

    private func carryOut(
        _ player: Player, _ settlement: FutureState.Settlement, _ isAnyLeft: Bool, _ first: Parcel<Callback>?,
        _ waker: Observer?
    ) {
        switch settlement {
        case .settled: break
        case .deliver(let dispatches):
            if isAnyLeft { deliverers.append(player) }
            if dispatches { dispatch(player, .queued) }
            guard isAnyLeft else { return }
            if thread(of: player).isActive {
                thread(of: player).jobs.append(.here)
            } else {
                deliver(player, first: first)
            }
        case .arrive:
            player.next("arrive", isOwn: true) { [self] in
                if let first = first?.take() { first.inputs.arrive(future, at: Int(first.index)) }
            }
        case .wake: player.next("wake", isOwn: true) { waker?.wake() }
        }
    }

    /// Settles the future from inside a callback.
    ///
    /// - Parameter returns: Whether that callback returns.
    func isInCallback(_ player: Player, returns: Bool) {
        write(.succeeded)
        state { state in
            _ = state.settle(.succeeded, on: player.thread)
            state.begin(on: player.thread)
            future.publish(FuturePhase.succeeded.rawValue)
        }
        winners.append(.succeeded)
        deliverers.append(player)
        thread(of: player).isActive = true
        let frame = enter(player, .here)
        guard returns else { return }
        player.add("the callback returns") { [self] in
            whileActive(player) {
                drain(player, frame)
                leave(player)
            }
        }
    }

    private func write(_ phase: FuturePhase) {
        switch phase {
        case .succeeded: Payload.initialize(future.rawPayload, to: 7)
        case .failed: Payload.initializeError(future.rawPayload, to: Oops.source)
        case .pending, .cancelled, .abandoned: break
        }
    }

    // MARK: Complaints

    override var complaint: String? {
        complaintAboutPhase ?? complaintAboutDelivery ?? complaintAboutWaits ?? complaintAboutGuests
    }

    private var complaintAboutPhase: String? {
        let phase = future.phase
        defer { lastPhase = phase }
        if phase != state({ $0.phase }) { return "\(phase) is published, which is not so" }
        if lastPhase != .pending, phase != lastPhase, phase != .abandoned { return "\(lastPhase) became \(phase)" }
        if phase != .pending, state({ $0.hasWorker }) { return "it is \(phase) and has a task handle" }
        if winners.count > 1 { return "\(winners) have won" }
        if let winner = winners.first, phase != winner { return "\(winner) has won, and the future is \(phase)" }
        return nil
    }

    private var complaintAboutDelivery: String? {
        let facts = state { state in
            let (queued, foreign) = (state.queued.length, state.foreign.length)
            return (
                here: (state.hasFirst ? 1 : 0) + state.waiting.length, leaving: queued + foreign,
                idle: (state.isBusy(.queued) ? 0 : queued) + (state.isBusy(.foreign) ? 0 : foreign),
                dispatched: state.dispatched.all, count: state.count, hops: state.hopsToMain
            )
        }
        if facts.here + facts.leaving + facts.dispatched.count != Int(facts.count) {
            return "\(facts.count) are not all in lists"
        }
        if facts.dispatched.count(where: { $0.route.leadsToMain }) != Int(facts.hops) { return "\(facts.hops) hops" }
        if deliverers.count > 1 { return "\(deliverers.map(\.name)) deliver" }
        guard future.phase != .pending else { return nil }
        let isAtRest = state { $0.delivery } == .idle
        if !mayGoOnElsewhere, deliverers.contains(where: { $0 === elsewhere }) {
            return "another thread continues with the earlier callbacks"
        }
        if isAtRest == !deliverers.isEmpty { return isAtRest ? "it rests while one delivers" : "no thread delivers" }
        // After a wait, a delivery below it goes on.
        let mayGoOn = threads.values.contains { $0.isActive && !$0.isBlocked }
        if isAtRest, !mayGoOn, facts.here + facts.idle > 0 { return "\(facts.here) and \(facts.idle) wait forever" }
        return nil
    }

    private var complaintAboutWaits: String? {
        if lateCalls > 0 { return "a callback begins inside a wait that is over" }
        return heldUp > 0 ? "\(heldUp) must wait for a callback that waits" : nil
    }

    private var complaintAboutGuests: String? {
        for guest in guests {
            if guest.heard.count > 1 { return "guest \(guest.number) has heard \(guest.heard)" }
            if let heard = guest.heard.first, heard != future.phase {
                return "guest \(guest.number) has heard \(heard)"
            }
            if !guest.heard.isEmpty, guest.isWithdrawn { return "guest \(guest.number) was withdrawn, and was called" }
        }
        return nil
    }

    override var complaintAtEnd: String? {
        arriveLate()
        if let complaint = complaintAboutOrder { return complaint }
        if settlesAtEnd, winners.isEmpty { return "it is not settled" }
        for guest in guests {
            if let complaint = complaintAboutEnd(of: guest) { return "guest \(guest.number) \(complaint)" }
        }
        if threads.values.contains(where: { !$0.jobs.isEmpty }) { return "a job is left" }
        if token.registrationCount > 0 { return "the token keeps \(token.registrationCount)" }
        if future.phase != .pending, state({ $0.count }) > 0 { return "\(state { $0.count }) are left" }
        return nil
    }

    /// Returns a complaint if a guest that was registered before another one is called after it, and both or neither
    /// are on the queue.
    private var complaintAboutOrder: String? {
        for first in guests where first.form.isInOrder {
            for second in guests where second.form.isInOrder && first.returned < second.began {
                guard first.form.isOnQueue == second.form.isOnQueue else { continue }
                if let turn = first.turns.first, let other = second.turns.first, other < turn {
                    return "guest \(second.number) has overtaken guest \(first.number)"
                }
            }
        }
        return nil
    }

    private func complaintAboutEnd(of guest: Guest) -> String? {
        let phase = future.phase
        let outcome = guest.outcome()
        if guest.isWithdrawn || guest.isRefused || guest.isOver {
            guard guest.heard.isEmpty || guest.isOver, outcome == nil else { return "was taken out and heard of it" }
        } else if guest.form.isUnderToken, outcome == .cancelled, phase != .cancelled {
            guard token.isCancelled, guest.heard.isEmpty else { return "was detached, and called" }
        } else if dropsTasks, guest.form.isOnQueue {
            guard guest.heard.isEmpty, outcome == .abandoned else { return "was dropped, and has heard \(guest.heard)" }
        } else if phase == .pending {
            return guest.heard.isEmpty && outcome == nil ? nil : "has heard \(guest.heard) of nothing"
        } else if guest.form.hasTarget {
            guard outcome == phase else {
                return "has a target that is \(outcome.map { "\($0)" } ?? "left"), not \(phase)"
            }
            guard guest.heard.count == (phase == .succeeded ? 1 : 0) else { return "has heard \(guest.heard)" }
        } else if guest.heard != [phase] {
            return "has heard \(guest.heard)"
        }
        return guest.isReleased ? nil : "is kept"
    }
}

extension LinkedList {
    var all: [Node] {
        var all: [Node] = []
        forEach { all.append($0) }
        return all
    }

    var length: Int {
        var length = 0
        forEach { _ in length += 1 }
        return length
    }
}

extension FutureState {
    var hasFirst: Bool {
        switch first {
        case .some: true
        case nil: false
        }
    }
}
