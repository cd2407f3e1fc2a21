/// The subscribers of a stream whose code runs at one place: on one queue, on one context, or where the elements come.
///
/// They are called one at a time, element by element, and within an element in the order of their registration: the list
/// is sorted in that order, and a subscriber that was called moves back behind those who have the same element before
/// them. One who joins late and has all of the history before it thus comes first until it has caught up.
final class StreamLane: @unchecked Sendable {
    // Sendable: `key` never changes; everything else is guarded by the lock of the stream.

    enum Kind {
        /// Wakes somebody up, and runs no code of the user's: also inside of callbacks.
        case sink
        case immediate
        case main
        case queue
        case custom
    }

    enum Phase: Equatable {
        /// Nobody delivers, and everybody has had everything.
        case idle
        /// A thread delivers, or is about to.
        case active
        /// A context was asked to deliver, for the so-and-so-manieth time.
        case handedOver(UInt64)
    }

    let key: Key
    /// Everybody who wants elements or passes them on, sorted.
    @exclusivity(unchecked) var waiting = LinkedList<Subscriber>()
    /// Those who want the end alone.
    @exclusivity(unchecked) var watchers = LinkedList<Subscriber>()
    @exclusivity(unchecked) private(set) var phase = Phase.idle
    /// How many subscribers the lane has, those included whose code runs.
    @exclusivity(unchecked) var count = 0
    @exclusivity(unchecked) private var handOvers: UInt64 = 0
    @exclusivity(unchecked) private var route: LaneRoute

    init(_ key: Key, _ route: _Route) {
        self.key = key
        self.route = LaneRoute(route)
    }

    var kind: Kind { key.kind }

    // MARK: Whose turn it is

    func insert(_ subscriber: Subscriber) {
        guard let first = waiting.first else { return waiting.append(subscriber) }
        if subscriber.precedes(first) {
            waiting.prepend(subscriber)
        } else {
            waiting.insert(subscriber) { $0.precedes(subscriber) }
        }
    }

    // MARK: Delivering

    /// False when somebody delivers already.
    func activate() -> Bool {
        guard phase == .idle else { return false }
        phase = .active
        return true
    }

    func rest() { phase = .idle }

    /// Nil when the context is gone.
    func handOver() -> (_Route, number: UInt64)? {
        guard let route = route.weaken() else { return nil }
        handOvers += 1
        phase = .handedOver(handOvers)
        return (route, handOvers)
    }

    /// False when the context has asked to deliver before.
    func arrive(_ number: UInt64) -> Bool {
        guard phase == .handedOver(number) else { return false }
        phase = .active
        route.strengthen()
        return true
    }
}
