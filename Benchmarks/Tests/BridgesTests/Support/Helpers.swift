import Synchronization

/// The error of the tests.
struct Oops: Error, Equatable {}

/// Notes from any thread, in the order in which they came.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

/// An object whose release a test can see.
final class Probe: Sendable {
    /// Keeps the object alive up to here.
    func use() {}
}

/// Gives a new probe to some code, and tells whether that code still holds it.
struct Watch {
    private weak var probe: Probe?

    init(_ capture: (Probe) throws -> Void) rethrows {
        let probe = Probe()
        try capture(probe)
        self.probe = probe
    }

    var isReleased: Bool { probe == nil }
}
