import Synchronization

/// A list that any thread can append to.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])

    init() {}

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}
