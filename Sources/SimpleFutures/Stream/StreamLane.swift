/// The subscribers of a stream whose code runs at one place: on one queue, on one context, or where the elements come.
///
/// They are called one at a time, element by element, and within an element in the order of their registration: the
/// list is sorted in that order, and a subscriber that was called moves back behind those who have the same element
/// before them. One who joins late and has all of the history before it thus comes first until it has caught up.
final class StreamLane: @unchecked Sendable {
    // Sendable: `key` never changes; everything else is guarded by the lock of the stream.

    enum Kind: Hashable {
        /// Wakes somebody up, and runs no code of the user's: also inside of callbacks.
        case sink
        case immediate
        case main
        case queue
        case custom
    }

    enum Phase: Equatable {
        /// Nobody delivers, and everybody has had everything, but for those whose callbacks run and wait.
        case idle
        /// A thread delivers, or is about to.
        case active
        /// The context was asked to deliver.
        case handedOver
    }

    let key: Key
    /// Everybody who wants elements or passes them on, sorted.
    @exclusivity(unchecked) private(set) var waiting = LinkedList<Subscriber>()
    /// Those whose code runs: one, and more if it waits for something and others have to go on.
    ///
    /// Whoever runs it has the reference to it, not the list.
    @exclusivity(unchecked) var running = LinkedList<Subscriber>()
    /// Those who want the end alone.
    @exclusivity(unchecked) var watchers = LinkedList<Subscriber>()
    /// The last one to be inserted.
    ///
    /// The next one usually comes right behind it. It is among those who wait, so it need not be held.
    @exclusivity(unchecked) private var last: Unmanaged<Subscriber>?
    /// Where the lane is among those of the stream.
    @exclusivity(unchecked) var index = 0
    /// How many subscribers the lane has, in all lists.
    @exclusivity(unchecked) var count = 0

    @exclusivity(unchecked) private(set) var phase = Phase.idle
    /// Counts the deliveries: whoever delivers has a number, and has lost its part when there is a new one.
    @exclusivity(unchecked) private(set) var turn: UInt64 = 0
    @exclusivity(unchecked) var route: LaneRoute
    @exclusivity(unchecked) var pace = Pace()
    /// The state of the thread that delivers where elements come; nil as long as it has not begun.
    @exclusivity(unchecked) private var owner: UnsafeRawPointer?
    /// The number of the first element that this thread leaves to another one.
    @exclusivity(unchecked) private var limit: UInt64 = 0

    init(_ key: Key, _ route: _Route) {
        self.key = key
        self.route = LaneRoute(route)
    }

    var kind: Kind { key.kind }

    // MARK: Whose turn it is

    /// Whether the next one runs at once on the main queue.
    var isMainImmediate: Bool { (waiting.first ?? watchers.first)?.isMainImmediate ?? false }

    /// Puts a subscriber where it belongs, with a reference to it that the list takes over.
    func insert(owned new: Unmanaged<Subscriber>) {
        defer { last = new }
        guard let first = waiting.first else { return waiting.append(owned: new) }
        let subscriber = new.takeUnretainedValue()
        if subscriber.precedes(first) { return waiting.prepend(owned: new) }
        if let last = last?.takeUnretainedValue(), last.precedes(subscriber),
            waiting.next(after: last).map(subscriber.precedes) ?? true
        {
            return waiting.insert(owned: new, after: last)
        }
        waiting.insert(owned: new) { $0.precedes(subscriber) }
    }

    func remove(_ subscriber: Subscriber) {
        forget(subscriber)
        waiting.remove(subscriber)
    }

    /// Takes a subscriber out of those who wait, and counts it among those whose code runs.
    ///
    /// The list's reference to it belongs to whoever runs the code from now on.
    func start(_ subscriber: Subscriber) {
        forget(subscriber)
        if let owned = waiting.take(subscriber) { running.append(owned: owned) }
    }

    /// Puts a subscriber whose code has run back among those who wait.
    func giveBack(_ subscriber: Subscriber) {
        subscriber.place = .waiting
        if let owned = running.take(subscriber) { insert(owned: owned) }
    }

    /// `start` of the only one who waits, while nobody runs.
    @inline(__always)
    func startOnly(_ subscriber: Subscriber) {
        last = nil
        waiting.moveOnly(to: &running)
        subscriber.start()
    }

    /// `giveBack` of the only one who runs, while nobody waits.
    @inline(__always)
    func giveBackOnly(_ subscriber: Subscriber) {
        running.moveOnly(to: &waiting)
        last = .passUnretained(subscriber)
        subscriber.place = .waiting
    }

    private func forget(_ subscriber: Subscriber) {
        if last?.toOpaque() == Unmanaged.passUnretained(subscriber).toOpaque() { last = nil }
    }

    // MARK: Delivering

    /// False when somebody delivers already.
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

    /// How many elements a thread delivers that other threads emit meanwhile, before it hands the rest over (promise 6).
    static let extraAllowance: UInt64 = 64

    /// The thread begins to deliver where elements come: those that are there, and some more.
    func allow(_ thread: UnsafeRawPointer, upTo end: UInt64, _ extra: UInt64) {
        guard owner == nil else { return }
        owner = thread
        limit = end + extra
    }

    /// An element was emitted: what the thread that delivers emits itself never leaves it.
    func allowOneMore(_ thread: UnsafeRawPointer) { if owner == thread { limit += 1 } }

    /// How many elements from one on the thread may still deliver.
    func allowance(from index: UInt64) -> Int { index < limit ? Int(min(limit - index, 1 << 30)) : 0 }

    func rest() { phase = .idle }

    /// Has those who run code for several elements ask what is next before the next one.
    func interrupt() { running.forEach { $0.interrupt() } }

    /// Takes the delivery over from one further down on this stack; false when another thread has it, or the context.
    func resume(_ turn: UInt64) -> Bool {
        guard phase == .idle || phase == .active && turn == self.turn else { return false }
        begin(.active)
        interrupt()
        return true
    }

    /// False when the context has asked to deliver before.
    func arrive(_ turn: UInt64) -> Bool {
        guard phase == .handedOver, turn == self.turn else { return false }
        phase = .active
        route.recover()
        return true
    }
}
