import SimpleFutures

/// How a future has ended, in comparable form.
enum Outcome<Value: Equatable & Sendable>: Equatable, Sendable {
    case pending
    case success(Value)
    case error(String)
    /// Failed as a broken promise, wherever that was created.
    case broken
    case cancelled

    static func failure(_ error: any Error) -> Outcome {
        if case .brokenPromise = error as? FuturesError { .broken } else { .error(String(comparing: error)) }
    }

    init(_ result: Try<Value>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }
}

extension Future where T: Equatable {
    var ended: Outcome<T> { result.map { Outcome($0) } ?? (isCancelled ? .cancelled : .pending) }

    /// Waits for the end, for tests with other threads.
    func end() async -> Outcome<T> {
        await withCheckedContinuation { done in
            onComplete(context: immediate) { done.resume(returning: Outcome($0)) }
            onCancel(context: immediate) { done.resume(returning: .cancelled) }
        }
    }
}
