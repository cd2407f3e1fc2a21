extension FutureStream {
    /// Returns a stream of the closure's results for each value.
    ///
    ///     let speeds = positions.map { $0.speed }
    ///
    /// Failures skip the closure and keep their position. It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    @preconcurrency @inlinable
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> FutureStream<M> {
        derive(.success, on: context, under: cancelToken) { event, target in
            target.pass { try mapping(event.value(as: T.self)) }
        }
    }

    // Disfavored: with two equal overloads, the compiler takes many times as long for chains of closures.

    /// Returns a stream of a property of each value.
    ///
    ///     let speeds = positions.map(\.speed)
    ///
    /// If the property belongs to the main actor, write `map(isolated: { $0.speed })`.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - context: The context that reads the property.
    ///   - cancelToken: When canceled, cancels the new stream.
    @_disfavoredOverload
    public func map<M: Sendable>(
        _ keyPath: any KeyPath<T, M> & Sendable, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<M> {
        map(context: context, cancelToken: cancelToken) { $0[keyPath: keyPath] }
    }

    /// The same in Swift 5 mode, where the compiler does not know that a key path of constants is `Sendable`, and warns.
    @_documentation(visibility: internal)
    @_disfavoredOverload @available(swift, obsoleted: 6)
    public func map<M: Sendable>(
        _ keyPath: KeyPath<T, M>, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<M> {
        nonisolated(unsafe) let keyPath = keyPath
        return map(context: context, cancelToken: cancelToken) { $0[keyPath: keyPath] }
    }

    /// Returns a stream in which values for which a closure returns false become failures with
    /// ``FuturesError/noSuchElement``.
    ///
    /// Failures skip the closure. Kept from SimpleFutures 0.2; to drop values use ``filter(context:cancelToken:_:)``.
    /// It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - filter: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
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

    /// Returns a stream of the values for which a closure returns true.
    ///
    ///     let fast = positions.filter { $0.speed > 10 }
    ///
    /// Failures skip the closure and keep their position. It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - isIncluded: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    @inlinable
    public func filter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ isIncluded: @escaping @Sendable (T) throws -> Bool
    ) -> FutureStream<T> {
        compactMap(context: context, cancelToken: cancelToken) { try isIncluded($0) ? $0 : nil }
    }

    /// Returns a stream of the closure's non-nil results for each value.
    ///
    ///     let valid = lines.compactMap { Int($0) }
    ///
    /// Failures skip the closure. It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - transform: Runs once per value; nil drops it. If it throws, the error is a failure of the new stream, which
    ///     continues.
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

    /// Runs a closure with each value.
    ///
    /// Same as ``onSuccess(context:cancelToken:completion:)->()``, under the name used by Swift's sequences.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - apply: Runs once per value.
    @preconcurrency @inlinable
    public func forEach(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: context, cancelToken: cancelToken, completion: apply)
    }

    /// Returns a stream of the same elements, after running a closure with each value: for side effects in a chain.
    ///
    /// Failures skip the closure. It ends like this stream.
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

    /// Returns a stream of running results: a closure combines each value with the last result.
    ///
    ///     let total = amounts.scan(0) { $0 + $1 }
    ///
    /// Failures skip the closure. It ends like this stream.
    ///
    /// - Parameters:
    ///   - initial: The value to combine with the first value. It is not emitted.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - combine: Runs once per value. If it throws, the error is a failure of the new stream, and the last result is
    ///     unchanged.
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
