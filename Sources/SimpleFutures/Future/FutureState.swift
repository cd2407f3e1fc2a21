/// Where a future is in its life.
///
/// Each phase but `pending` is final.
@usableFromInline
package enum FuturePhase: UInt8, Sendable {
    // In this order, so that a phase is the byte that is published.
    case pending = 0
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
///     pending ──► succeeded | failed | canceled        settle, once
///     idle ──► active ⇄ in callback ──► idle            one thread at a time, in any phase but pending
///
/// A settled future with observers is always being delivered, or about to be. Late observers join the same list behind
/// earlier ones, and the thread that delivers finds them: this is what keeps the order.
struct FutureState: ~Copyable {
    enum Delivery {
        case idle
        /// A thread is about to deliver, or to hand something over.
        case active
        /// A thread is delivering, and is inside a callback.
        case inCallback
    }

    private(set) var phase: FuturePhase
    var delivery = Delivery.idle
    /// Whether something works on the result, and lies in the payload.
    private(set) var hasWorker = false
    /// Two to this power is how many observers there must be for a search among them for those of somebody who waits
    /// for many futures no longer; zero as long as nobody does who would be among them.
    var leftoverLimit: UInt8 = 0
    /// While the future is pending: what can still complete it; the holder of a bare future counts as one.
    ///
    /// Afterwards: to how many more observers the thread that delivers may deliver. Never both, and a future is small.
    private var number: UInt32 = 1
    /// Observers in both lists and in `first`.
    var count: UInt32 = 0
    /// What was handed to the main queue and has not yet run.
    var hopsToMain: UInt32 = 0
    /// The first callback, if nothing is to remove it: most futures have no other, and this one costs no allocation.
    var first: Callback?
    var waiting = LinkedList<Observer>()
    /// Observers that were handed to their context and have not yet begun.
    var handedOver = LinkedList<Observer>()

    init(_ phase: FuturePhase = .pending) { self.phase = phase }

    // MARK: Settling

    enum Settlement {
        /// Settled, with nobody to tell.
        case settled
        /// Settled; the caller must deliver.
        case deliver
        /// Settled; the caller must tell a gathering, who is the only one to be told.
        case arrive
        /// Settled; the caller must wake up the only one who waits.
        case wake
        /// Somebody was earlier.
        case completedBefore
        case cancelledBefore

        var isAccepted: Bool { self != .completedBefore && self != .cancelledBefore }
    }

    /// The one transition out of `pending`.
    mutating func settle(_ newPhase: FuturePhase) -> Settlement {
        guard phase == .pending else { return phase == .cancelled ? .cancelledBefore : .completedBefore }
        phase = newPhase
        hasWorker = false
        guard count > 0 else { return .settled }
        if count == 1 {
            if newPhase == .succeeded, first.isOfGathering { return .arrive }
            if waiting.first?.kind == .waker { return .wake }
        }
        begin(.active)
        return .deliver
    }

    /// False when the future is settled and needs no worker.
    mutating func gainWorker() -> Bool {
        guard phase == .pending else { return false }
        hasWorker = true
        return true
    }

    /// False when the future is settled and needs no producer.
    mutating func gainProducer() -> Bool {
        guard phase == .pending else { return false }
        number += 1
        return true
    }

    /// True when the last one has gone: the future must be failed.
    mutating func loseProducer() -> Bool {
        guard phase == .pending else { return false }
        number -= 1
        return number == 0
    }

    // MARK: How long a thread delivers

    /// Begins a delivery to those who are there, and some more.
    mutating func begin(_ delivery: Delivery) {
        self.delivery = delivery
        allow()
    }

    mutating func allow() { number = count &+ Self.extraAllowance }

    /// The thread that delivers has registered one itself, which never leaves that thread.
    mutating func allowOneMore() { number &+= 1 }

    var allowance: UInt32 {
        get { number }
        set { number = newValue }
    }

    // MARK: Observing

    enum Addition {
        case waiting
        /// The same, of a pending future on which something works: that may depend on who waits.
        case waitingForWork
        /// The future is settled, and nobody is at it; the caller must deliver.
        case deliver
        /// Whoever delivers is inside a callback, for who knows how long; the caller must hand over what needs not
        /// wait.
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
        guard count == 1, phase == .pending, first.isOver, let new = callback.take() else { return nil }
        callback = first.take()
        first = consume new
        return hasWorker ? .waitingForWork : .waiting
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
        guard phase != .pending else { return hasWorker ? .waitingForWork : .waiting }
        switch delivery {
        case .idle:
            begin(.active)
            return .deliver
        case .active: return .waiting
        case .inCallback: return canGoAhead ? .handOver : .waiting
        }
    }

    /// Whether nobody delivers, or is about to; the caller then delivers to one who has just come, and to those who come
    /// meanwhile.
    mutating func beginAtRest() -> Bool {
        guard phase != .pending, delivery == .idle else { return false }
        begin(.inCallback)
        return true
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

    // MARK: Ending

    /// Moves the observers of a future that is being released into the state that will deliver in its stead.
    mutating func abandon() -> FutureState? {
        guard phase == .pending, count > 0 else { return nil }
        var heir = FutureState(.abandoned)
        swap(&heir.first, &first)
        swap(&heir.waiting, &waiting)
        swap(&heir.count, &count)
        heir.begin(.active)
        return heir
    }
}
