import SimpleFutures

/// Entries from any thread, in the order in which they were added.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Lock<[Entry]>([])

    init() {}

    var all: [Entry] { entries.withLock { $0 } }

    // Not of `all`: the next entry would copy the array.
    var count: Int { entries.withLock { $0.count } }
    var last: Entry? { entries.withLock { $0.last } }

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}
