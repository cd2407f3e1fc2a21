import Synchronization

/// Correct handwritten code: the continuation is resumed once, by the completion handler or by the cancellation.
struct MethodContinuationCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int {
        let waiter = Waiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.wait(continuation)
                method.load { waiter.end($0, $1) }
            }
        } onCancel: {
            waiter.end(.failure(CancellationError()))
        }
    }
}

/// The same for a method that returns a handle, which the cancellation cancels.
struct HandleContinuationCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int {
        let waiter = Waiter()
        let call = Mutex<LegacyCall?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.wait(continuation)
                let started = method.cancellable { waiter.end($0, $1) }
                call.withLock { $0 = started }
                if Task.isCancelled { started.cancel() }
            }
        } onCancel: {
            waiter.end(.failure(CancellationError()))
            call.withLock { $0 }?.cancel()
        }
    }
}

/// A continuation that is resumed by the first call, even by a call before the continuation is set.
private final class Waiter: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Int, any Error>)
        case ended(Result<Int, any Error>)
    }

    private let state = Mutex(State.idle)

    func wait(_ continuation: CheckedContinuation<Int, any Error>) {
        let result = state.withLock { state -> Result<Int, any Error>? in
            if case .ended(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    func end(_ value: Int?, _ error: (any Error)?) {
        if let error {
            end(.failure(error))
        } else if let value {
            end(.success(value))
        } else {
            end(.failure(CancellationError()))
        }
    }

    func end(_ result: Result<Int, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Int, any Error>? in
            switch state {
            case .idle:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            case .ended:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
