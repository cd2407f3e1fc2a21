/// A result that is there, or will be: a value, an error, or the news that it was cancelled.
///
///     let name = future(method: client.loadProfile).map { $0.name }
///     name.onSuccess { label.text = $0 }
///     name.onFailure { show($0) }
///
/// A future is completed once, by whoever produces it: a ``Promise``, a completion block wrapped with
/// `future(method:)`, another future that it is derived from, or, for a bare `Future()`, whoever holds it. The first
/// completion wins.
///
/// **Where code runs.** A callback runs on the context it was registered with, by default
/// ``QueueContext/futuresDefault``. Callbacks of one future reach a serial context in the order of registration.
///
/// **How it ends.** With ``Try/success(_:)`` or ``Try/failure(_:)``; or, for a derived future, *cancelled*, if a
/// ``CancelToken`` has detached it from its source: then callbacks stay silent and ``AnyFuture/onCancel(context:_:)``
/// tells. If everything that could complete a future is released, it fails with
/// ``FuturesError/brokenPromise(createdAt:)``.
///
/// **What it holds.** A pending future holds its callbacks, and releases each as it has run. Dropping a future cancels
/// nothing: the callbacks registered on it still run when it is completed.
@preconcurrency
public final class Future<T: Sendable>: AnyFuture, @unchecked Sendable {
    // Sendable as its superclass is; it adds no state.

    /// Creates a future that whoever holds it completes.
    ///
    /// It is never broken while it is held.
    public override init() { super.init() }

    // Disfavoured, as `Future { … }` otherwise would be a future of the closure: the label of a trailing closure does
    // not count.

    /// Creates a future that has succeeded.
    @_disfavoredOverload @inlinable
    public convenience init(value: T) {
        self.init()
        settle(.success(value))
    }

    /// Creates a future that has failed.
    @inlinable
    public convenience init(error: any Error) {
        self.init()
        settle(.failure(error))
    }

    deinit {
        if _isPOD(T.self), Payload.isInline(T.self) { return }
        if phase == .succeeded { Trampoline.destroy(rawPayload, as: T.self) }
    }

    /// The result, or nil while there is none.
    ///
    /// A cancelled future has none.
    @inlinable
    public var result: Try<T>? {
        var result: Try<T>?
        read { phase, payload in
            switch phase {
            case .succeeded: result = .success(Payload.load(payload, as: T.self))
            case .failed: result = .failure(Payload.loadError(payload))
            case .pending, .cancelled, .abandoned: break
            }
        }
        return result
    }

    /// The state, a value and an error shortened to their descriptions.
    public var debugDescription: String {
        let state =
            switch result {
            case .success(let value): "success(\(value))"
            case .failure(let error): "failure(\(error))"
            case nil: isCancelled ? "cancelled" : "pending, \(observerCount) waiting"
            }
        return "Future<\(T.self)>(\(state))"
    }
}

extension Future: CustomDebugStringConvertible {}

extension Future {
    /// The one way to complete.
    ///
    /// Says what came of it, and reports nothing.
    @inlinable @discardableResult
    package func settle(_ result: Try<T>) -> Completion {
        switch result {
        case .success(let value): succeed { Payload.initialize($0, to: value) }
        case .failure(let error): fail(error)
        }
    }
}

extension AnyFuture {
    /// The value of a future that has succeeded, for the body of an observer that hears of success alone.
    @inlinable
    final func settledValue<Value>(as _: Value.Type) -> Value {
        var value: Value?
        read { _, payload in value = Payload.load(payload, as: Value.self) }
        return value.unsafelyUnwrapped
    }

    /// The result of a settled future, for the body of an observer; nil when it was cancelled.
    @inlinable
    package final func settledResult<Value>(as _: Value.Type) -> Try<Value>? {
        var result: Try<Value>?
        read { phase, payload in
            switch phase {
            case .succeeded: result = .success(Payload.load(payload, as: Value.self))
            case .failed: result = .failure(Payload.loadError(payload))
            case .abandoned: result = .failure(FuturesError.brokenPromise(createdAt: nil))
            case .pending, .cancelled: break
            }
        }
        return result
    }
}
