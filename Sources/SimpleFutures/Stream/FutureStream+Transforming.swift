extension FutureStream {
    /// Returns a stream of what a closure makes of each value.
    ///
    ///     let speeds = positions.map { $0.speed }
    ///
    /// Failures skip the closure, in their place in the order. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    @preconcurrency @inlinable
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> FutureStream<M> {
        derive(.success, on: context, under: cancelToken) { event, target in
            target.pass { try mapping(event.value(as: T.self)) }
        }
    }

    /// Returns a stream of the same values, of which a closure approves; others become failures with
    /// ``FuturesError/noSuchElement``.
    ///
    /// Failures skip the closure. It is SimpleFutures 0.2's; to leave values out use ``filter(context:cancelToken:_:)``.
    /// It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - filter: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    @preconcurrency @inlinable
    public func withFilter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> FutureStream<T> {
        map(context: context, cancelToken: cancelToken) { value in
            guard try filter(value) else { throw FuturesError.noSuchElement }
            return value
        }
    }

    /// Returns a stream of those values of which a closure approves; others are left out.
    ///
    ///     let fast = positions.filter { $0.speed > 10 }
    ///
    /// Failures skip the closure, in their place in the order. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - isIncluded: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    @inlinable
    public func filter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ isIncluded: @escaping @Sendable (T) throws -> Bool
    ) -> FutureStream<T> {
        compactMap(context: context, cancelToken: cancelToken) { try isIncluded($0) ? $0 : nil }
    }

    /// Returns a stream of what a closure makes of each value, where it makes something.
    ///
    ///     let valid = lines.compactMap { Int($0) }
    ///
    /// Failures skip the closure. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - transform: Runs once per value; nil leaves it out. If it throws, the error is a failure of the new stream, which goes
    ///     on.
    @inlinable
    public func compactMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ transform: @escaping @Sendable (T) throws -> M?
    ) -> FutureStream<M> {
        derive(.success, on: context, under: cancelToken) { event, target in
            do {
                if let value = try transform(event.value(as: T.self)) { target.pass(.success(value)) }
            } catch { target.emit(error: error) }
        }
    }

    /// Runs a closure with each value: `onSuccess` by another name.
    ///
    /// It is ``onSuccess(context:cancelToken:completion:)->()`` by the name that Swift's sequences have for it.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: Detaches the closure, which is then called no more.
    ///   - apply: Runs once per value.
    @preconcurrency @inlinable
    public func forEach(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: context, cancelToken: cancelToken, completion: apply)
    }

    /// Returns a stream of the same elements, each of which is emitted after a closure has run with its value: for side effects
    /// whose place in a chain matters.
    ///
    /// Failures skip the closure. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - completion: Runs once per value.
    @preconcurrency @inlinable
    public func andThen(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> FutureStream<T> {
        map(context: context, cancelToken: cancelToken) { value in
            completion(value)
            return value
        }
    }

    /// Returns a stream of what a closure makes of each value and of its last result.
    ///
    ///     let total = amounts.scan(0) { $0 + $1 }
    ///
    /// Failures skip the closure. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - initial: What the closure gets with the first value. It is not emitted itself.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - combine: Runs once per value. If it throws, the error is a failure of the new stream; the last result stays what it
    ///     was.
    @inlinable
    public func scan<R: Sendable>(
        _ initial: R, context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ combine: @escaping @Sendable (R, T) throws -> R
    ) -> FutureStream<R> {
        let last = Memory(initial)
        return derive(.success, on: context, under: cancelToken) { event, target in
            target.pass {
                last.value = try combine(last.value, event.value(as: T.self))
                return last.value
            }
        }
    }
}
