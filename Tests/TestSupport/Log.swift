import SimpleFutures

/// Entries from any thread, in the order in which they were added.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Lock<[Entry]>([])

    init() {}

    var all: [Entry] { entries.withLock { $0 } }

    var count: Int { all.count }

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}
