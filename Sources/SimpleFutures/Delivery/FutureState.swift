/// The state machine of a future.
///
/// It is pure: each transition returns the action to carry out after the lock is released.
///
///     pending ──► succeeded | failed | canceled        settle, once
///     idle ──► delivering ──► idle                      one thread at a time, in any phase but pending
///
/// Observers wait in three lists, by where their code runs: on the thread that delivers, on a Dispatch queue, or on a
/// context of the user's. In each list they keep the order of registration, and one thread at a time takes them out:
/// that is what keeps the order on each context. A callback that blocks is in the way of its own list alone, unless its
/// context runs it on the thread that dispatches (promise 11).
struct FutureState: ~Copyable {
    enum Delivery {
        case idle
        /// A thread delivers, or is about to.
        case active
    }

    // In this order the fields up to `first` take four words.
    private(set) var phase: FuturePhase
    private(set) var delivery = Delivery.idle
    /// Whether there is a worker, which is stored in the payload.
    private(set) var hasWorker = false
    /// The base-2 logarithm of the observer count at which stale registrations are searched for.
    ///
    /// Zero as long as no observer belongs to a combined future.
    var leftoverLimit: UInt8 = 0
    /// While pending: the number of producers; the holder of a bare future counts as one.
    ///
    /// Once settled: how many more callbacks the delivering thread may run. The two uses share one field to keep a
    /// future small.
    private var number: UInt32 = 1
    /// Observers in the lists below and in `first`.
    var count: UInt32 = 0
    /// The number of observers in `dispatched` that lead to the main queue.
    ///
    /// As long as there are any, no callback runs at once on main.
    private(set) var hopsToMain: UInt32 = 0
    /// Once the future is settled: the number of observers in `waiting` or `first` that lead to the main queue.
    ///
    /// As long as there are any, others for main wait behind them.
    var mainHere: UInt32 = 0
    /// Whether a thread dispatches the observers in `queued`.
    var queuedIsBusy = false
    /// Whether a thread dispatches the observers in `foreign`.
    var foreignIsBusy = false
    /// While pending: the highest priority of a waiting task; zero if none has waited.
    var waitersPriority: UInt8 = 0
    /// The state of the thread that delivers; nil at rest, and before another thread goes on.
    private(set) var owner: UnsafeRawPointer?
    /// The first callback, if nothing is to remove it: most futures have no other, and this one costs no allocation.
    var first: Callback?
    /// Observers that run on the thread that delivers.
    var waiting = LinkedList<Observer>()
    /// Observers that go to a Dispatch queue or only resume a waiter.
    var queued = LinkedList<Observer>()
    /// Observers that go to a context of the user's.
    var foreign = LinkedList<Observer>()
    /// Observers that were dispatched to their context and have not yet begun.
    var dispatched = LinkedList<Observer>()

    init(_ phase: FuturePhase = .pending) { self.phase = phase }

    // MARK: Settling

    enum Settlement {
        /// Settled, without observers.
        case settled
        /// Settled; the caller must dispatch to queues if there is anything to dispatch, and deliver.
        case deliver(dispatches: Bool)
        /// Settled; the caller must tell a gathering, who is the only one to be told.
        case arrive
        /// Settled; the caller must resume the only waiter.
        case wake
    }

    /// The only transition out of `pending`; returns nil if it was taken earlier.
    mutating func settle(_ newPhase: FuturePhase, on thread: UnsafeRawPointer) -> Settlement? {
        guard phase == .pending else { return nil }
        phase = newPhase
        hasWorker = false
        guard count > 0 else { return .settled }
        if count == 1 {
            if newPhase == .succeeded, first.read({ $0.kind == .gathering }) ?? false { return .arrive }
            if queued.first?.kind == .waker { return .wake }
        }
        begin(on: thread)
        if first.read({ $0.route.kind != .immediate }) ?? false { sortFirst(on: thread) }
        return .deliver(dispatches: !queued.isEmpty && begin(.queued))
    }

    /// Puts the first callback where its code runs, which depends on the phase.
    @inline(never)
    private mutating func sortFirst(on thread: UnsafeRawPointer) {
        guard let callback = first.take() else { return }
        if !leaves(callback.kind, callback.route, on: thread) {
            if callback.route.leadsToMain, callback.kind.usesContext(phase) { mainHere += 1 }
            first = consume callback
        } else {
            let observer = Observer(callback)
            if observer.route.kind == .custom {
                observer.place = .foreign
                foreign.prepend(owned: Unretained(holding: observer))
            } else {
                observer.place = .queued
                queued.prepend(owned: Unretained(holding: observer))
            }
        }
    }

    /// Returns false when the future is settled and needs no worker.
    mutating func gainWorker() -> Bool {
        guard phase == .pending else { return false }
        hasWorker = true
        return true
    }

    mutating func loseWorker() { hasWorker = false }

    /// Returns false when the future is settled and needs no producer.
    mutating func gainProducer() -> Bool {
        guard phase == .pending else { return false }
        number += 1
        return true
    }

    /// Returns true when the last producer is gone: the future must fail.
    mutating func loseProducer() -> Bool {
        guard phase == .pending else { return false }
        number -= 1
        return number == 0
    }

    // MARK: The limit of callbacks per thread

    /// Begins a delivery to the observers that are there, and some more.
    ///
    /// - Parameter thread: The thread that delivers; nil for the thread that calls `next` first.
    mutating func begin(on thread: UnsafeRawPointer?) {
        delivery = .active
        owner = thread
        number = count &+ Self.extraAllowance
    }

    mutating func rest() {
        delivery = .idle
        owner = nil
    }

    /// Whether a thread delivers, or is about to: then its own registrations run on it, in order.
    func isOwned(by thread: UnsafeRawPointer?) -> Bool { thread != nil && owner == thread }

    var allowance: UInt32 {
        get { number }
        set { number = newValue }
    }

    // MARK: Delivering

    /// Begins a delivery if no thread is delivering.
    ///
    /// The caller then delivers to the new observer and to those added in the meantime.
    mutating func beginAtRest(on thread: UnsafeRawPointer?) -> Bool {
        guard phase != .pending, delivery == .idle else { return false }
        begin(on: thread)
        return true
    }

    /// Begins a delivery to an observer that was added, or leaves it to the thread that delivers.
    mutating func deliverOrWait(on thread: UnsafeRawPointer?) -> Addition {
        if beginAtRest(on: thread) { return .deliver }
        // A thread's own registrations do not count.
        if isOwned(by: thread) { number &+= 1 }
        return .waiting
    }

    enum Removal {
        /// The observer was in a list.
        case removed
        /// The observer had not been added yet, and now never will be.
        case prevented
        /// The observer has already run or been removed.
        case tooLate
    }

    /// Removes an observer, or prevents it from being added.
    mutating func remove(_ observer: Observer) -> Removal {
        switch observer.place {
        case .outside:
            observer.place = .done
            return .prevented
        case .waiting:
            waiting.remove(observer)
            if phase != .pending, observer.route.leadsToMain, observer.kind.usesContext(phase) { mainHere -= 1 }
        case .queued: queued.remove(observer)
        case .foreign: foreign.remove(observer)
        case .dispatched:
            dispatched.remove(observer)
            if observer.route.leadsToMain { hopsToMain -= 1 }
        case .done: return .tooLate
        }
        observer.place = .done
        count -= 1
        return .removed
    }

    /// Returns the way to its context, which the observer keeps no longer.
    mutating func putIntoDispatched(_ observer: Observer) -> _Route {
        observer.place = .dispatched
        dispatched.append(observer)
        if observer.route.leadsToMain { hopsToMain += 1 }
        let route = observer.route
        observer.route = route.emptied
        return route
    }

    /// Records that a dispatched task has begun or was dropped, by removing its observer.
    ///
    /// Returns true the first time.
    mutating func claimDispatched(_ observer: Observer) -> Bool {
        guard observer.place == .dispatched else { return false }
        _ = remove(observer)
        return true
    }

    /// The observers that were registered with the token and have not yet begun.
    func observers(under token: CancelToken) -> [Observer] {
        var found: [Observer] = []
        for list in lists {
            list.forEach { if $0.link?.token === token { found.append($0) } }
        }
        return found
    }

    /// All lists of observers; dispatched observers come first.
    var lists: [LinkedList<Observer>] { [dispatched, queued, foreign, waiting] }

    // MARK: Ending

    /// Moves the observers of a future that is being released to the state that delivers in its place.
    mutating func abandon(on thread: UnsafeRawPointer) -> FutureState? {
        guard phase == .pending, count > 0 else { return nil }
        var heir = FutureState(.abandoned)
        swap(&heir.first, &first)
        swap(&heir.waiting, &waiting)
        swap(&heir.queued, &queued)
        swap(&heir.foreign, &foreign)
        swap(&heir.count, &count)
        heir.begin(on: thread)
        heir.sortFirst(on: thread)
        return heir
    }
}
