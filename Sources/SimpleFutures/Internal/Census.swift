/// Counts the living: the futures and streams that were made while it was on.
///
/// For whoever asks why nothing goes on. Each thread has a list of its own, so that threads that make futures neither wait
/// for each other nor see what the others have done, which would hide races of theirs.
///
/// Package hook.
@usableFromInline
package enum Census: Sendable {
    private static let current = Switch()
    private static let takers = Lock(0)
    private static let lists = Lock<[CensusList]>([])

    /// Counts what is made from now on, until `end` is called; it may be begun several times.
    package static func begin() { takers.withLock { change($0 + 1, of: &$0) } }

    package static func end() { takers.withLock { change($0 - 1, of: &$0) } }

    private static func change(_ new: Int, of count: inout Int) {
        count = new
        current.set(new > 0)
    }

    static var isOn: Bool {
        @inline(__always) get { current.isOn }
    }

    /// Counts one more.
    @inline(never)
    static func enter(_ one: any Counted) {
        let thread = ThreadState.current
        if let list = thread.pointee.census { return list.enter(one) }
        let list = CensusList()
        thread.pointee.census = list
        lists.withLock { $0.append(list) }
        list.enter(one)
    }

    /// Counts a promise, which tells of its future.
    @usableFromInline
    static func note(_ promise: Promise<some Sendable>) {
        if isOn { enter(promise) }
    }

    /// Counts what holds a completion block, which tells of its future.
    static func note(_ block: BlockProducer) {
        if isOn { enter(block) }
    }

    /// Who is alive, each thread's in the order in which it made them.
    static var living: [any Counted] { lists.withLock { $0 }.flatMap { $0.living } }

    /// What those are like who are alive and have not ended, and who waits for them.
    package static var report: [String] { PendingReport(of: living).text }
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

extension Subject {
    var subject: any Subject { self }
}

/// What one thread has made.
final class CensusList: Sendable {
    private struct Entry: Sendable {
        weak var one: (any Counted)?
    }

    private let entries = Lock<[Entry]>([])
    /// How many there may be until it is looked who is gone.
    private let limit = Lock(64)

    func enter(_ one: any Counted) {
        let count = entries.withLock { entries in
            entries.append(Entry(one: one))
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

    var living: [any Counted] { entries.withLock { $0 }.compactMap(\.one) }
}

extension AnyFuture: Subject {
    var headline: String { "\(type(of: self))" }
    var isOpen: Bool { phase == .pending }
}

extension Promise: Counted {
    var subject: any Subject { future }
    var headline: String { "which the promise made at \(site) completes" }
    var isOpen: Bool { future.isOpen }
}

extension BlockProducer: Counted {
    var subject: any Subject { future }
    var isOpen: Bool { future.isOpen }
}

extension StreamCore: Subject {
    var headline: String {
        let place = site.map { ", made at \($0)" } ?? ""
        return "FutureStream with \(historyCount) kept\(place)"
    }
    var isOpen: Bool { end == nil }
}
