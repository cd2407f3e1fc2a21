/// A result that arrives once, now or later: a value, an error, or a cancellation.
///
///     let name = future(method: client.loadProfile).map { $0.name }
///     name.onSuccess(isolated: { label.text = $0 })
///     name.onFailure(isolated: { show($0) })
///
/// The label `isolated:` belongs to the module SimpleFuturesInterop: the closure runs on the actor of the code around it.
///
/// A future is completed once: by a ``Promise``, by a completion handler wrapped with `future(method:)`, by the future that
/// it is derived from, or, if you create it with `Future()`, by your own code. The first completion counts.
///
/// **Contexts and order.** A callback runs on the context that you register it with. The default is
/// ``QueueContext/futuresDefault``, which is the main queue unless you change it: for long work pass another context,
/// such as `.global`. On a serial context, callbacks of one future run in the order of registration.
///
/// **Results.** A future ends with ``Try/success(_:)`` or ``Try/failure(_:)``, or it is *canceled* by a
/// ``CancelToken``: then callbacks don't run, except ``AnyFuture/onCancel(context:cancelToken:_:)`` and
/// ``Futurable/ensure(context:_:)``. If everything that could complete a future is released, it fails with
/// ``FuturesError/brokenPromise(createdAt:)``.
///
/// **Lifetime.** A pending future keeps its callbacks alive and releases each one after it has run. Releasing a future
/// does not cancel its callbacks: they still run when it is completed.
@preconcurrency
public final class Future<T: Sendable>: AnyFuture, @unchecked Sendable {
    // Sendable like its superclass; it adds no state.

    /// Creates a pending future that you complete yourself.
    ///
    /// Keep it until you complete it: without a promise, nothing reports a future that is released uncompleted.
    public override init() { super.init() }

    // Disfavored, because `Future { … }` would otherwise be a future of the closure: the label of a trailing closure is
    // ignored. `Equatable` values have an initializer that is not disfavored. Without it, the compiler gives up on chains
    // with `Future(value:)` in several closures: it rules out a disfavored overload only if it has a solution without one.

    /// Creates a future that has a value.
    @_disfavoredOverload @inlinable
    public convenience init(value: T) {
        self.init()
        settle(.success(value))
    }

    /// Creates a future that has an error.
    @inlinable
    public convenience init(error: any Error) {
        self.init()
        settle(.failure(error))
    }

    deinit {
        if _isPOD(T.self), Payload.isInline(T.self) { return }
        if phase == .succeeded { Trampoline.destroy(rawPayload, as: T.self) }
    }

    /// The result; nil if the future is pending or canceled.
    ///
    /// It does not wait, not even in `await future.result`. To wait, use `outcome` of SimpleFuturesInterop.
    @inlinable
    public var result: Try<T>? { settledResult(as: T.self) }

    /// The state, with the descriptions of the value or error.
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
    /// Completes the future.
    ///
    /// All other completions call this function.
    ///
    /// Returns the outcome without reporting it.
    @inlinable @discardableResult
    package func settle(_ result: Try<T>) -> Completion {
        switch result {
        case .success(let value): succeed { Payload.initialize($0, to: value) }
        case .failure(let error): fail(error)
        }
    }
}

extension Future where T: Equatable {
    /// Creates a future that has a value.
    @_documentation(visibility: internal) @inlinable
    public convenience init(value: T) {
        self.init()
        settle(.success(value))
    }
}

extension AnyFuture {
    /// The future with the type of its value, for code that has created it and then passed it as a target.
    @inlinable @inline(__always)
    package final func future<Value: Sendable>(of _: Value.Type) -> Future<Value> {
        unsafeDowncast(self, to: Future<Value>.self)
    }

    /// The value of a future that has succeeded, for an observer that handles only success.
    @inlinable
    final func settledValue<Value>(as _: Value.Type) -> Value {
        var value: Value?
        read { _, payload in value = Payload.load(payload, as: Value.self) }
        return value.unsafelyUnwrapped
    }

    /// The result of a settled future, for the body of an observer; nil if it was canceled.
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
