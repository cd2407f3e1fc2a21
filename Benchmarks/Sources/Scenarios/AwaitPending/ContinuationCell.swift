import Synchronization

/// A correct handwritten cell without futures: any number of waiters, each of which is removed and resumed with a
/// `CancellationError` when its task is cancelled; a late waiter gets the value at once.
final class ContinuationCell: Cell {
    private struct State {
        var result: Result<Int, any Error>?
        var waiters: [Int: CheckedContinuation<Int, any Error>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    func complete(_ value: Int) { complete(with: .success(value)) }

    func complete(with result: Result<Int, any Error>) {
        let waiters = state.withLock { state -> [Int: CheckedContinuation<Int, any Error>] in
            guard state.result == nil else { return [:] }
            state.result = result
            let waiters = state.waiters
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    func wait() async throws -> Int {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Int, any Error>? in
                    if let result = state.result { return result }
                    // The task was cancelled before: the handler below has run and found no waiter to remove.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[waiter] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
            continuation?.resume(throwing: CancellationError())
        }
    }
}
