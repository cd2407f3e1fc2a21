/// Counts the living: the futures and streams that were made while it was on.
///
/// For whoever asks why nothing goes on. Each thread has a list of its own, so that threads that make futures neither
/// wait for each other nor see what the others have done, which would hide races of theirs.
///
/// Package hook.
@usableFromInline
package enum Census: Sendable {
    /// Its byte says whether it is on; whoever looks may see a moment later that it was set.
    private static let current = _LockedObject()
    private static let takers = Lock(0)
    private static let lists = Lock<[CensusList]>([])

    /// Counts what is made from now on, until `end` is called; it may be begun several times.
    package static func begin() { takers.withLock { change($0 + 1, of: &$0) } }

    package static func end() { takers.withLock { change($0 - 1, of: &$0) } }

    private static func change(_ new: Int, of count: inout Int) {
        count = new
        current.publish(new > 0 ? 1 : 0)
    }

    static var isOn: Bool {
        @inline(__always) get { current.status != 0 }
    }

    /// Counts one more.
    @inline(never)
    static func enter(_ one: any Counted) {
        let thread = ThreadState.current
        if let list = thread.pointee.census { return list.enter(one, ()) }
        let list = CensusList()
        thread.pointee.census = list
        lists.withLock { $0.append(list) }
        list.enter(one, ())
    }

    /// Who is alive, each thread's in the order in which it made them.
    static var living: [any Counted] { lists.withLock { $0 }.flatMap { $0.living.map(\.one) } }
}

/// One who is counted.
protocol Counted: AnyObject, Sendable {
    /// Whom it tells of: itself, or the future that it can complete.
    var subject: any Subject { get }
    /// What it is, or what it says of its subject.
    var headline: String { get }
    /// Whether it has not ended.
    var isOpen: Bool { get }
}

/// One who is told of: a future or a stream.
protocol Subject: Counted {
    /// Who waits for it.
    var dependents: [Dependent] { get }
}

/// Somebody who waits for a future or a stream, as it is told of.
struct Dependent: Sendable {
    let who: Who
    /// Where it is called, in words; nothing for where the end comes.
    let place: String
    /// Its context was asked to run it, and has not.
    let isHandedOver: Bool

    enum Who: Sendable {
        /// A future or a stream that ends when it does, and how that comes from it.
        case other(any Subject, String)
        /// Somebody without a future of his own.
        case somebody(String)
    }
}

/// What one thread has made.
typealias CensusList = Register<Void>

/// Those who were entered, as long as they live, each with what is known of it.
final class Register<Note: Sendable>: Sendable {
    private struct Entry: Sendable {
        weak var one: (any Counted)?
        let note: Note
    }

    private let entries = Lock<[Entry]>([])
    /// How many there may be until it is looked who is gone.
    private let limit = Lock(64)

    init() {}

    func enter(_ one: any Counted, _ note: Note) {
        let count = entries.withLock { entries in
            entries.append(Entry(one: one, note: note))
            return entries.count
        }
        if count > limit.withLock({ $0 }) { strikeOff() }
    }

    /// Forgets who is gone.
    private func strikeOff() {
        // Outside of the lock: whoever looks at one may be the last to have seen it.
        let living = entries.exchange([]).filter { $0.one != nil }
        entries.withLock { $0 = living + $0 }
        limit.exchange(max(64, 2 * living.count))
    }

    /// Who lives, in the order in which they were entered.
    var living: [(one: any Counted, note: Note)] {
        entries.withLock { $0 }.compactMap { entry in entry.one.map { ($0, entry.note) } }
    }
}
