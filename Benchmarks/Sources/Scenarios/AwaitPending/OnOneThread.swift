extension AwaitPending {
    /// The waiter wakes the completer before it waits, and the completer runs when the waiter has suspended: so every
    /// wait is for a pending cell, without waking a thread or making a task.
    @concurrent
    static func onOneThread<C: Cell>(_ type: C.Type, _ count: Int) async throws {
        try await OneThread.run { thread in
            let completer = Completer<C>()
            let completing = Task(executorPreference: thread) { await completer.run() }
            // Loop until the completer sleeps and can be woken.
            while !completer.sleeps { await Task.yield() }
            for _ in 0..<count {
                let cell = C()
                completer.complete(cell)
                blackHole(try await cell.wait())
            }
            completer.complete(nil)
            await completing.value
        }
    }
}

/// The task that completes the cells one after the other.
///
/// `@unchecked Sendable` because
/// 1. its tasks prefer one executor, which runs them on one thread,
/// 2. none of its methods is called from elsewhere.
private final class Completer<C: Cell>: @unchecked Sendable {
    private var sleeper: UnsafeContinuation<C?, Never>?

    var sleeps: Bool { sleeper != nil }

    /// Wakes the task, which completes the cell when it runs next; `nil` ends the task.
    func complete(_ cell: C?) {
        sleeper?.resume(returning: cell)
    }

    func run() async {
        while let cell = await withUnsafeContinuation({ sleeper = $0 }) {
            cell.complete(1)
        }
    }
}
