internal import CSimpleFutures

/// Tracks the live futures and streams that were created while tracking was on.
///
/// It answers why a program hangs. Each thread has its own list, so that threads that create futures do not contend for
/// a lock and do not synchronize with each other, which would hide their data races.
///
/// Package hook.
@usableFromInline
package enum Census: Sendable {
    private static let takers = Lock(0)
    private static let lists = Lock<[CensusList]>([])

    /// Tracks objects created from now on, until `end` is called.
    ///
    /// Calls may be nested.
    package static func begin() { takers.withLock { change($0 + 1, of: &$0) } }

    package static func end() { takers.withLock { change($0 - 1, of: &$0) } }

    private static func change(_ new: Int, of count: inout Int) {
        count = new
        sf_set_counting(new > 0)
    }

    static var isOn: Bool {
        @inline(__always) get { sf_is_counting() }
    }

    /// Tracks an object.
    @inline(never)
    static func enter(_ one: any Counted) {
        let thread = ThreadState.current
        if let list = thread.pointee.census { return list.enter(one, ()) }
        let list = CensusList()
        thread.pointee.census = list
        lists.withLock { $0.append(list) }
        list.enter(one, ())
    }

    /// The live objects, those of each thread in the order of their creation.
    static var living: [any Counted] { lists.withLock { $0 }.flatMap { $0.living.map(\.one) } }
}

/// An object that can be tracked.
protocol Counted: AnyObject, Sendable {
    /// The object that the report is about: itself, or the future that it can complete.
    var subject: any Subject { get }
    /// A description of the object, or its addition to the description of its subject.
    var headline: String { get }
    /// Whether the object has not ended.
    var isOpen: Bool { get }
}

/// An object that has its own entry in the report: a future or a stream.
protocol Subject: Counted {
    /// The waiters and subscribers of the object.
    var dependents: [Dependent] { get }
}

/// A waiter or subscriber of a future or a stream, as described in the report.
struct Dependent: Sendable {
    let who: Who
    /// A description of its context; empty if it runs on the completing thread.
    let place: String
    /// Its context was asked to run it and has not.
    let isDispatched: Bool

    enum Who: Sendable {
        /// A future or a stream that ends with it, and their relation.
        case other(any Subject, String)
        /// A waiter without a future of its own.
        case somebody(String)
    }
}

/// The objects that one thread has created.
typealias CensusList = Register<Void>

/// A list of objects with a note for each.
///
/// It does not keep the objects alive.
final class Register<Note: Sendable>: Sendable {
    private struct Entry: Sendable {
        weak var one: (any Counted)?
        let note: Note
    }

    private struct State {
        var entries: [Entry] = []
        /// Earlier entries, while a thread looks for those of released objects.
        var examined: [Entry] = []
        /// The length at which released objects are removed from the list.
        var limit = 64
    }

    private let state = Lock(State())

    init() {}

    func enter(_ one: any Counted, _ note: Note) {
        let examined = state.withLock { state -> [Entry]? in
            state.entries.append(Entry(one: one, note: note))
            guard state.entries.count > state.limit, state.examined.isEmpty else { return nil }
            swap(&state.entries, &state.examined)
            return state.examined
        }
        guard let examined else { return }
        // Outside the lock: reading a weak reference may make this thread the last holder of an object.
        let living = examined.filter { $0.one != nil }
        state.withLock { state in
            state.entries = living + state.entries
            state.examined = []
            state.limit = max(64, 2 * living.count)
        }
    }

    /// The live objects, in the order in which they were added.
    var living: [(one: any Counted, note: Note)] {
        state.withLock { $0.examined + $0.entries }.compactMap { entry in entry.one.map { ($0, entry.note) } }
    }
}
