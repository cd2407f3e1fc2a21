/// Where a future is in its life.
///
/// Each phase but `pending` is final.
@usableFromInline
package enum FuturePhase: UInt8, Sendable {
    case pending
    case succeeded
    case failed
    case cancelled
    /// Only of the stand-in that delivers for a future that was released while it was pending.
    case abandoned

    var isFailure: Bool { self == .failed || self == .abandoned }
}

/// The state machine of a future.
///
/// It is pure: each transition returns what is to be done after the lock is released.
///
///     pending ──► succeeded | failed | cancelled        settle, once
///     idle ──► delivering ──► idle                      one thread at a time, in any phase but pending
///
/// A settled future with observers is always being delivered, or about to be. Late observers join the same list behind
/// earlier ones, and the thread that delivers finds them: this is what keeps the order.
struct FutureState: ~Copyable {
    private enum Delivery {
        case idle
        /// A thread is about to deliver, or to hand something over.
        case active
        /// A thread is delivering, and is inside a callback.
        case inCallback
    }

    private(set) var phase: FuturePhase
    private var delivery = Delivery.idle
    /// Two to this power is how many observers there must be for a search among them for those of somebody who waits for
    /// many futures no longer; zero as long as nobody does who would be among them.
    private var leftoverLimit: UInt8 = 0
    /// What can still complete the future.
    ///
    /// The holder of a bare future counts as one.
    private var producers: UInt32 = 1
    /// Observers in both lists and in `first`.
    private(set) var count: UInt32 = 0
    /// What was handed to the main queue and has not yet run.
    private var hopsToMain: UInt32 = 0
    /// The first callback, if nothing is to remove it: most futures have no other, and this one costs no allocation.
    private var first: Callback?
    private var waiting = LinkedList<Observer>()
    /// Observers that were handed to their context and have not yet begun.
    private var handedOver = LinkedList<Observer>()

    init(_ phase: FuturePhase = .pending) { self.phase = phase }

    var glance: FutureGlance {
        @inline(__always) get { FutureGlance(phase, isAtRest: phase != .pending && delivery == .idle) }
    }

    // MARK: Settling

    enum Settlement {
        /// Settled, with nobody to tell.
        case settled
        /// Settled; the caller must deliver.
        case deliver
        /// Settled; the caller must tell a gathering, who is the only one to be told.
        case arrive
        /// Somebody was earlier.
        case completedBefore
        case cancelledBefore

        var isAccepted: Bool { self != .completedBefore && self != .cancelledBefore }
    }

    /// The one transition out of `pending`.
    mutating func settle(_ newPhase: FuturePhase) -> Settlement {
        guard phase == .pending else { return phase == .cancelled ? .cancelledBefore : .completedBefore }
        phase = newPhase
        guard count > 0 else { return .settled }
        if newPhase == .succeeded, count == 1, first.isOfGathering { return .arrive }
        delivery = .active
        return .deliver
    }

    /// False when the future is settled and needs no producer.
    mutating func gainProducer() -> Bool {
        guard phase == .pending else { return false }
        producers += 1
        return true
    }

    /// True when the last one has gone: the future must be failed.
    mutating func loseProducer() -> Bool {
        guard phase == .pending else { return false }
        producers -= 1
        return producers == 0
    }

    // MARK: Observing

    enum Addition {
        case waiting
        /// The future is settled and idle; the caller must deliver.
        case deliver
        /// Whoever delivers is inside a callback, for who knows how long; the caller must hand over what needs not wait.
        case handOver
        /// The observer was removed before it was added, or the future was not to be settled: it was not added.
        case refused
    }

    /// Adds a callback that nothing can remove; nil when it must come as an observer.
    mutating func add(_ callback: inout Callback?) -> Addition? {
        guard count == 0 else { return addInPlaceOfLeftover(&callback) }
        guard let new = callback.take() else { return nil }
        let goesAhead = goesAhead(new.kind, new.route)
        first = consume new
        count = 1
        return afterAdding(canGoAhead: goesAhead)
    }

    /// The same where the only callback is that of somebody who waits no longer; that comes back, to be released.
    @inline(never)
    private mutating func addInPlaceOfLeftover(_ callback: inout Callback?) -> Addition? {
        guard count == 1, phase == .pending, first.isOver else { return nil }
        swap(&first, &callback)
        return .waiting
    }

    mutating func add(_ observer: Observer, ifPending: Bool = false) -> Addition {
        guard observer.place == .outside, phase == .pending || !ifPending else { return .refused }
        observer.place = .waiting
        let isAlone = waiting.isEmpty && first == nil
        waiting.append(observer)
        count += 1
        if observer.kind.isOfMany, leftoverLimit == 0 { leftoverLimit = 3 }
        return afterAdding(canGoAhead: isAlone && goesAhead(observer.kind, observer.route))
    }

    private mutating func afterAdding(canGoAhead: Bool) -> Addition {
        guard phase != .pending else { return .waiting }
        switch delivery {
        case .idle:
            delivery = .active
            return .deliver
        case .active: return .waiting
        case .inCallback: return canGoAhead ? .handOver : .waiting
        }
    }

    /// Whether it is time to search for those of somebody who waits for many futures no longer.
    ///
    /// As the limit is doubled, that is no work in proportion to the number of observers.
    var mayHaveLeftovers: Bool { leftoverLimit > 0 && count >> leftoverLimit > 0 }

    /// How many there are of these.
    var leftoverCount: Int { (first.isOver ? 1 : 0) + leftovers.count }

    private var leftovers: [Observer] {
        var found: [Observer] = []
        if leftoverLimit > 0 { waiting.forEach { if $0.isOver { found.append($0) } } }
        return found
    }

    /// Takes them out.
    mutating func takeLeftovers() -> [Observer] {
        let found = leftovers
        for observer in found { _ = remove(observer) }
        leftoverLimit = 3
        while count >> leftoverLimit > 0 { leftoverLimit += 1 }
        return found
    }

    enum Removal {
        /// It was in a list.
        case removed
        /// It had not been added, and now never will be.
        case prevented
        /// Its turn has come, or it was removed before.
        case tooLate
    }

    /// Takes an observer out, or sees to it that it never gets in.
    mutating func remove(_ observer: Observer) -> Removal {
        switch observer.place {
        case .outside:
            observer.place = .done
            return .prevented
        case .waiting: waiting.remove(observer)
        case .handedOver:
            handedOver.remove(observer)
            if observer.route.leadsToMain { hopsToMain -= 1 }
        case .done: return .tooLate
        }
        observer.place = .done
        count -= 1
        return .removed
    }

    /// The observers that were registered under the token and have not yet begun.
    func observers(under token: CancelToken) -> [Observer] {
        var found: [Observer] = []
        for list in [waiting, handedOver] {
            list.forEach { if $0.link?.token === token { found.append($0) } }
        }
        return found
    }

    // MARK: Delivering

    /// Why the next observer is asked for.
    enum Delivering {
        /// To deliver to all of them, and to end the delivery.
        case toAll
        /// To deliver from inside a callback of a delivery that goes on afterwards.
        case again
        /// To let go ahead what needs not wait until the callback that runs on this thread returns: it runs no code of
        /// the user on this stack, and settles no future.
        case ahead
        /// The same, from a thread that registers while another one delivers.
        case aside

        /// Whether only what needs not wait is delivered.
        var goesAheadOnly: Bool { self == .ahead || self == .aside }
        /// Whether the delivery ends when nobody is left.
        var ends: Bool { self == .toAll || self == .ahead }
    }

    enum Next: ~Copyable {
        /// Nobody is left. The delivery has ended, unless it goes on afterwards.
        case idle
        /// Whoever comes next must wait until the callback that runs on this thread returns.
        case later
        /// Runs on the spot.
        case run(Callback)
        /// Runs on the spot, if it can be claimed.
        case runClaimed(Observer)
        /// Goes to its context.
        case handOver(Observer, _Route)
    }

    /// The next one to deliver to, in the order of registration.
    ///
    /// One at a time, so that whatever a callback does to the later ones, cancelling them for instance, takes effect.
    mutating func next(_ delivering: Delivering) -> Next {
        if let callback = first.take() {
            if delivering.goesAheadOnly, !goesAhead(callback.kind, callback.route) {
                first = consume callback
                return .later
            }
            count -= 1
            guard isHere(callback.kind, callback.route) else { return handOver(Observer(callback), delivering) }
            if delivering != .aside { delivery = .inCallback }
            return .run(callback)
        }
        guard let observer = waiting.first else {
            if delivering.ends { delivery = .idle }
            return .idle
        }
        if delivering.goesAheadOnly, !goesAhead(observer.kind, observer.route) { return .later }
        waiting.remove(observer)
        count -= 1
        guard isHere(observer.kind, observer.route) else { return handOver(observer, delivering) }
        observer.place = .done
        if delivering != .aside { delivery = .inCallback }
        return .runClaimed(observer)
    }

    private func goesAhead(_ kind: ObserverKind, _ route: borrowing _Route) -> Bool {
        kind == .signal || (route.isQueue && kind.usesContext(phase))
    }

    /// The first callback, if it runs on the spot.
    mutating func takeFirst() -> Callback? {
        guard let callback = first.take() else { return nil }
        guard isHere(callback.kind, callback.route) else {
            first = consume callback
            return nil
        }
        count -= 1
        delivery = .inCallback
        return callback
    }

    /// The callback of the gathering that is the only one to be told.
    ///
    /// It need not wait for its turn: it runs no code of the user's, and takes values in whichever order they come.
    mutating func takeArrival() -> Callback? {
        count = 0
        return first.take()
    }

    private func isHere(_ kind: ObserverKind, _ route: _Route) -> Bool {
        route.isHere(hopsToMain: hopsToMain) || !kind.usesContext(phase)
    }

    private mutating func handOver(_ observer: Observer, _ delivering: Delivering) -> Next {
        if delivering != .aside { delivery = .active }
        observer.place = .handedOver
        handedOver.append(observer)
        count += 1
        if observer.route.leadsToMain { hopsToMain += 1 }
        let route = observer.route
        observer.route = route.emptied
        return .handOver(observer, route)
    }

    /// The task that was handed to a context has begun, or will never begin: true the first time.
    mutating func arrive(_ observer: Observer) -> Bool {
        guard observer.place == .handedOver else { return false }
        _ = remove(observer)
        return true
    }

    // MARK: Ending

    /// Moves the observers of a future that is being released into the state that will deliver in its stead.
    mutating func abandon() -> FutureState? {
        guard phase == .pending, count > 0 else { return nil }
        var heir = FutureState(.abandoned)
        swap(&heir.first, &first)
        swap(&heir.waiting, &waiting)
        swap(&heir.count, &count)
        heir.delivery = .active
        return heir
    }
}
