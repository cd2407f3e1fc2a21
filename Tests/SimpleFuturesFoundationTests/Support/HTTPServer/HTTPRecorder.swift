import SimpleFutures
@testable import TestSupport

/// Keeps the records, and tells those who wait for something to be in them.
final class HTTPRecorder: Sendable {
    /// There was something to wait for when the server stopped.
    struct Stopped: Error {}

    private struct Waiter {
        /// Gives what resumes the one who waits, once there is what it waits for.
        let check: (inout HTTPRecords) -> (() -> Void)?
        let fail: (any Error) -> Void
    }

    private struct State {
        var records = HTTPRecords()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var isStopped = false
    }

    private let state = Lock(State())

    var records: HTTPRecords { state.withLock { $0.records } }

    @discardableResult
    func update<Result>(_ body: (inout HTTPRecords) -> Result) -> Result {
        let (result, resumptions) = state.withLock { state in
            let result = body(&state.records)
            var resumptions: [() -> Void] = []
            for (id, waiter) in state.waiters {
                guard let resume = waiter.check(&state.records) else { continue }
                state.waiters[id] = nil
                resumptions.append(resume)
            }
            return (result, resumptions)
        }
        resumptions.forEach { $0() }
        return result
    }

    /// Fails those who wait, and who will.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        waiters.forEach { $0.fail(Stopped()) }
    }

    /// Waits until there is a value to be taken.
    ///
    /// - Parameter take: Runs under the lock, at each change: it must not call the server.
    /// - Throws: `CancellationError`, or `Stopped`.
    func wait<Value: Sendable>(for take: @escaping @Sendable (inout HTTPRecords) -> Value?) async throws -> Value {
        let id = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(
                    check: { records in take(&records).map { value in { continuation.resume(returning: value) } } },
                    fail: { continuation.resume(throwing: $0) })
                add(waiter, as: id)?()
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.fail(CancellationError())
        }
    }

    /// Gives what to do at once, if the waiter has not to wait.
    private func add(_ waiter: Waiter, as id: Int) -> (() -> Void)? {
        state.withLock { state in
            if let resume = waiter.check(&state.records) { return resume }
            if state.isStopped { return { waiter.fail(Stopped()) } }
            // Whoever cancels later than this finds the waiter: the handler needs the lock.
            if Task.isCancelled { return { waiter.fail(CancellationError()) } }
            state.waiters[id] = waiter
            return nil
        }
    }
}
