/// A mailbox: the subscribers of a stream whose bodies run on one queue, on one context, or on the emitting thread.
///
/// They run one at a time, element by element, and for each element in the order of registration. The list is sorted in
/// that order: after a call the subscriber moves behind the others that wait for the same element. So a late subscriber that
/// gets a replay runs first until it has caught up.
final class Mailbox: @unchecked Sendable {
    // Sendable: `key` never changes; everything else is guarded by the lock of the stream.

    enum Kind: Hashable {
        /// Only resumes waiters and runs no user code, so it runs even inside callbacks.
        case sink
        case immediate
        case main
        case queue
        case custom
    }

    enum Phase: Equatable {
        /// No thread is delivering. All subscribers have received all elements, and the end if there is one, except for
        /// those whose running callbacks wait.
        case idle
        /// A thread is delivering or about to.
        case active
        /// A delivery was dispatched to the context.
        case dispatched
    }

    let key: MailboxKey
    var kind: Kind { key.kind }
    /// All subscribers that receive elements or pass them on, sorted.
    @exclusivity(unchecked) private(set) var waiting = LinkedList<Subscriber>()
    /// The subscribers whose bodies run: usually one, and more if a body waits and others must continue.
    ///
    /// The thread that runs the body owns the list's reference.
    @exclusivity(unchecked) var running = LinkedList<Subscriber>()
    /// Subscribers that only handle the end.
    @exclusivity(unchecked) var watchers = LinkedList<Subscriber>()
    /// The subscriber inserted last.
    ///
    /// The next insertion usually comes right after it. It is in `waiting`, so it need not be retained.
    @exclusivity(unchecked) private var last: Unretained<Subscriber>?
    /// The index of the mailbox in the stream's array.
    @exclusivity(unchecked) var index = 0
    /// The number of subscribers in all lists.
    @exclusivity(unchecked) var count = 0

    @exclusivity(unchecked) private(set) var phase = Phase.idle
    /// The number of the current delivery.
    ///
    /// A thread whose number is outdated has lost the delivery to another thread.
    @exclusivity(unchecked) private(set) var turn: UInt64 = 0
    @exclusivity(unchecked) var route: MailboxRoute
    @exclusivity(unchecked) var pace = Pace()
    /// The subscriber that was started by an emission inside a callback, and gets the element when that returns.
    ///
    /// It belongs to the thread that delivers.
    @exclusivity(unchecked) var started: StreamState.Served?
    /// The state of the thread that delivers on the emitting thread; nil before it has begun.
    @exclusivity(unchecked) private var owner: UnsafeRawPointer?
    /// The index of the first element that this thread leaves to another one.
    @exclusivity(unchecked) private var limit: UInt64 = 0

    init(_ key: MailboxKey, _ route: _Route) {
        self.key = key
        self.route = MailboxRoute(route)
    }

    deinit {
        // It may hold the last promise of a stream with such a context, and so on (promise 7).
        if let context = route.takeContext() { Trampoline.destroy { context.release() } }
    }

    // MARK: The order of subscribers

    /// Whether the next subscriber runs at once on the main queue.
    var isMainImmediate: Bool { (waiting.first ?? watchers.first)?.isMainImmediate ?? false }

    /// Inserts a subscriber in order.
    ///
    /// The list takes over the reference to it. Running subscribers are interrupted first: one that gets several elements
    /// would otherwise pass the new one, which may come before it.
    func insert(owned new: Unretained<Subscriber>) {
        interruptRunning()
        // `last` stays: the next one may come after that, as this one will.
        if let first = waiting.front, new.precedes(first) { return waiting.prepend(owned: new) }
        defer { last = new }
        guard !waiting.isEmpty else { return waiting.append(owned: new) }
        if let last, last.precedes(new), waiting.next(after: last).map(new.precedes) ?? true {
            return waiting.insert(owned: new, after: last)
        }
        waiting.insert(owned: new) { $0.precedes(new) }
    }

    func remove(_ subscriber: Subscriber) {
        forget(subscriber)
        waiting.remove(subscriber)
    }

    /// Moves a subscriber from `waiting` to `running`.
    ///
    /// From now on the list's reference belongs to the thread that runs the body.
    func start(_ subscriber: Subscriber) {
        forget(subscriber)
        if let owned = waiting.take(subscriber) { running.append(owned: owned) }
    }

    /// Moves a subscriber whose body has returned back to `waiting`.
    func giveBack(_ subscriber: Subscriber) {
        subscriber.place = .waiting
        if let owned = running.take(subscriber) { insert(owned: owned) }
    }

    /// `start` for the only waiting subscriber, while none runs.
    @inline(__always)
    func startOnly(_ subscriber: Subscriber) {
        last = nil
        waiting.moveOnly(to: &running)
        subscriber.start()
    }

    /// `giveBack` for the only running subscriber, while none waits.
    @inline(__always)
    func giveBackOnly(_ subscriber: Subscriber) {
        running.moveOnly(to: &waiting)
        last = Unretained(subscriber)
        subscriber.place = .waiting
    }

    private func forget(_ subscriber: Subscriber) {
        if last == Unretained(subscriber) { last = nil }
    }

    // MARK: Delivering

    /// Begins a delivery.
    ///
    /// Returns false if there already is one.
    func activate() -> Bool {
        guard phase == .idle else { return false }
        begin(.active)
        return true
    }

    func begin(_ phase: Phase) {
        self.phase = phase
        turn += 1
        pace = Pace()
        owner = nil
    }

    /// How many elements from other threads a thread delivers before it passes the rest to another thread (promise 6).
    static let extraAllowance = UInt64(Trampoline.extraAllowance)

    /// Sets the limit for a thread that begins to deliver on the emitting thread: the current elements and some more.
    func allow(_ thread: UnsafeRawPointer, upTo end: UInt64, _ extra: UInt64) {
        guard owner == nil else { return }
        owner = thread
        limit = end + extra
    }

    /// Called for each element: elements that the delivering thread itself emits stay on that thread.
    func allowOneMore(_ thread: UnsafeRawPointer) { if owner == thread { limit += 1 } }

    /// How many elements from an index on the thread may still deliver.
    func allowance(from index: UInt64) -> Int { index < limit ? Int(min(limit - index, 1 << 30)) : 0 }

    func rest() { phase = .idle }

    /// Makes a thread that delivers several elements at once look for the next step after the current one.
    private func interruptRunning() { running.forEach { $0.interrupt() } }

    /// Takes a delivery over from further down on this stack.
    ///
    /// Returns false if another thread or the context has it.
    func resume(_ turn: UInt64) -> Bool {
        guard phase == .idle || phase == .active && turn == self.turn else { return false }
        begin(.active)
        return true
    }

    /// Begins a dispatched delivery.
    ///
    /// Returns false if it has already begun.
    func claimDispatched(_ turn: UInt64) -> Bool {
        guard phase == .dispatched, turn == self.turn else { return false }
        phase = .active
        route.recover()
        return true
    }
}
