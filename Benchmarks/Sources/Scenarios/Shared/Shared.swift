import Dispatch

/// Row 12: two threads process the same thousand cells; each registers two callbacks on every cell and tries to
/// complete it.
///
/// And two threads with cells of their own, compared with one thread that does the work of both: threads that share no
/// cell must not be slowed down by a common lock or counter.
enum Shared {
    static let length = 1_000

    static let future = Scenario("shared.future", batch: 2 * length) { sharedByTwo(SharedFutureCell.self, $0, &$1) }
    static let locked = Scenario("shared.nslock", batch: 2 * length) { sharedByTwo(LockedCell.self, $0, &$1) }

    static let apartFuture = Scenario("apart.future", batch: 2 * length) { apart(SharedFutureCell.self, $0) }
    static let aloneFuture = Scenario("alone.future", batch: 2 * length) { alone(SharedFutureCell.self, $0) }
    static let apartLocked = Scenario("apart.nslock", batch: 2 * length) { apart(LockedCell.self, $0) }
    static let aloneLocked = Scenario("alone.nslock", batch: 2 * length) { alone(LockedCell.self, $0) }

    /// The work of one thread with one cell.
    @inline(__always)
    private static func use<C: SharedCell>(_ cell: C, _ value: Int) {
        cell.whenComplete { blackHole($0) }
        cell.complete(value)
        cell.whenComplete { blackHole($0) }
    }

    @inline(never)
    private static func sharedByTwo<C: SharedCell>(_ type: C.Type, _ count: Int, _ stopwatch: inout Stopwatch) {
        for _ in 0..<(count / (2 * length)) {
            let cells = (0..<length).map { _ in C() }
            stopwatch.measure {
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    for cell in cells { use(cell, thread) }
                }
            }
        }
    }

    @inline(never)
    private static func apart<C: SharedCell>(_ type: C.Type, _ count: Int) {
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for _ in 0..<(count / 2) { use(C(), thread) }
        }
    }

    @inline(never)
    private static func alone<C: SharedCell>(_ type: C.Type, _ count: Int) {
        for _ in 0..<count { use(C(), 0) }
    }
}
