/// The subscribers of a stream whose code runs at one place: on one queue, on one context, or where the elements come.
///
/// They are called one at a time, element by element, and within an element in the order of their registration: the list
/// is sorted in that order, and a subscriber that was called moves back behind those who have the same element before
/// them. One who joins late and has all of the history before it thus comes first until it has caught up.
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

    init(_ key: Key, _ route: _Route) {
        self.key = key
        self.route = LaneRoute(route)
    }

    var kind: Kind { key.kind }

    // MARK: Whose turn it is

    /// Whether the next one runs at once on the main queue.
    var isMainImmediate: Bool { (waiting.first ?? watchers.first)?.isMainImmediate ?? false }

    func insert(_ subscriber: Subscriber) {
        defer { last = .passUnretained(subscriber) }
        guard let first = waiting.first else { return waiting.append(subscriber) }
        if subscriber.precedes(first) { return waiting.prepend(subscriber) }
        if let last = last?.takeUnretainedValue(), last.precedes(subscriber),
            waiting.next(after: last).map(subscriber.precedes) ?? true
        {
            return waiting.insert(subscriber, after: last)
        }
        waiting.insert(subscriber) { $0.precedes(subscriber) }
    }

    func remove(_ subscriber: Subscriber) {
        if last?.toOpaque() == Unmanaged.passUnretained(subscriber).toOpaque() { last = nil }
        waiting.remove(subscriber)
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
    }

    func rest() { phase = .idle }

    /// Takes the delivery over from one further down on this stack; false when another thread has it, or the context.
    func resume(_ turn: UInt64) -> Bool {
        guard phase == .idle || phase == .active && turn == self.turn else { return false }
        begin(.active)
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
