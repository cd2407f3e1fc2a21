public import SimpleFutures

// Loops and callbacks: their errors are of type `Failure`, or of `Stopped` of it.

extension TypedStream {
    /// The values, for a `for try await` loop: see `FutureStream.values(throwing:buffering:)`.
    @_disfavoredOverload @inlinable
    public var values: TypedStreamValues<T, Stopped<Failure>> { stream.values(throwing: Stopped<Failure>.self) }

    /// The elements, for a `for await` loop: see `FutureStream.results(throwing:buffering:)`.
    @_disfavoredOverload @inlinable
    public var results: TypedStreamResults<T, Stopped<Failure>> { stream.results(throwing: Stopped<Failure>.self) }

    /// The values, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with values that arrive faster than the loop takes them.
    @_disfavoredOverload @inlinable
    public func values(buffering policy: StreamBufferingPolicy) -> TypedStreamValues<T, Stopped<Failure>> {
        stream.values(throwing: Stopped<Failure>.self, buffering: policy)
    }

    /// The elements, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with elements that arrive faster than the loop takes them.
    @_disfavoredOverload @inlinable
    public func results(buffering policy: StreamBufferingPolicy) -> TypedStreamResults<T, Stopped<Failure>> {
        stream.results(throwing: Stopped<Failure>.self, buffering: policy)
    }

    /// Runs a closure with each element.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @_disfavoredOverload @inlinable @discardableResult
    public func onResult(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Result<T, Stopped<Failure>>) -> Void
    ) -> Self {
        stream.onResult(
            throwing: Stopped<Failure>.self, context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with each element.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @_disfavoredOverload @discardableResult
    public func onResult(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Stopped<Failure>>) -> Void
    ) -> Self {
        stream.onResult(throwing: Stopped<Failure>.self, cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure with each failure.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Stopped<Failure>) -> Void
    ) -> Self {
        stream.onFailure(context: context, cancelToken: cancelToken) { completion(.converted($0)) }
        return self
    }

    /// Runs a closure on the caller's actor with each failure.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Stopped<Failure>) -> Void
    ) -> Self {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }
}

extension TypedStream where Failure: FailureConvertible {
    /// The values, for a `for try await` loop: see `FutureStream.values(throwing:buffering:)`.
    @inlinable
    public var values: TypedStreamValues<T, Failure> { stream.values(throwing: Failure.self) }

    /// The elements, for a `for await` loop: see `FutureStream.results(throwing:buffering:)`.
    @inlinable
    public var results: TypedStreamResults<T, Failure> { stream.results(throwing: Failure.self) }

    /// The values, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with values that arrive faster than the loop takes them.
    @inlinable
    public func values(buffering policy: StreamBufferingPolicy) -> TypedStreamValues<T, Failure> {
        stream.values(throwing: Failure.self, buffering: policy)
    }

    /// The elements, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func results(buffering policy: StreamBufferingPolicy) -> TypedStreamResults<T, Failure> {
        stream.results(throwing: Failure.self, buffering: policy)
    }

    /// Runs a closure with each element.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @inlinable @discardableResult
    public func onResult(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        stream.onResult(throwing: Failure.self, context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with each element.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @discardableResult
    public func onResult(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        stream.onResult(throwing: Failure.self, cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure with each failure.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Failure) -> Void
    ) -> Self {
        stream.onFailure(context: context, cancelToken: cancelToken) { completion(.converted($0)) }
        return self
    }

    /// Runs a closure on the caller's actor with each failure.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Failure) -> Void
    ) -> Self {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }
}
