public import SimpleFutures

// As for futures of tuples: closures with a parameter for each value.

extension FutureStream {
    /// Returns a stream of an asynchronous closure's results, run with two values for each element.
    ///
    /// Like ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``, with a parameter for each value.
    @_documentation(visibility: internal)
    public func asyncMap<A: Sendable, B: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B) async throws -> M
    ) -> FutureStream<M> where T == (A, B) {
        asyncMap(Transformation(run: transform), name, priority, cancelToken, policy)
    }

    /// Returns a stream of all elements of the futures or streams that a closure returns for two values.
    ///
    /// Like ``asyncFlatMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->Inner)``, with a parameter for each
    /// value.
    @_documentation(visibility: internal)
    public func asyncFlatMap<A: Sendable, B: Sendable, Inner: FutureStreamConvertible>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B) async throws -> Inner
    ) -> FutureStream<Inner.T> where T == (A, B) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, buffering: policy, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure with two values for each element, one call after the other.
    ///
    /// Like ``asyncForEach(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->Void)``, with a parameter for each
    /// value.
    @_documentation(visibility: internal) @discardableResult
    public func asyncForEach<A: Sendable, B: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (A, B) async -> Void
    ) -> Future<Void> where T == (A, B) {
        asyncForEach(Transformation(run: apply), name, priority, cancelToken, policy)
    }

    /// Returns a stream of an asynchronous closure's results, run with three values for each element.
    ///
    /// Like ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``, with a parameter for each value.
    @_documentation(visibility: internal)
    public func asyncMap<A: Sendable, B: Sendable, C: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B, C) async throws -> M
    ) -> FutureStream<M> where T == (A, B, C) {
        asyncMap(Transformation(run: transform), name, priority, cancelToken, policy)
    }

    /// Returns a stream of all elements of the futures or streams that a closure returns for three values.
    ///
    /// Like ``asyncFlatMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->Inner)``, with a parameter for each
    /// value.
    @_documentation(visibility: internal)
    public func asyncFlatMap<A: Sendable, B: Sendable, C: Sendable, Inner: FutureStreamConvertible>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B, C) async throws -> Inner
    ) -> FutureStream<Inner.T> where T == (A, B, C) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, buffering: policy, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure with three values for each element, one call after the other.
    ///
    /// Like ``asyncForEach(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->Void)``, with a parameter for each
    /// value.
    @_documentation(visibility: internal) @discardableResult
    public func asyncForEach<A: Sendable, B: Sendable, C: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (A, B, C) async -> Void
    ) -> Future<Void> where T == (A, B, C) {
        asyncForEach(Transformation(run: apply), name, priority, cancelToken, policy)
    }

    /// Runs a closure with two values of each element, and stops it when the next element arrives.
    ///
    /// Like ``forEachLatest(waitsForLast:_:)``, with a parameter for each value.
    @_documentation(visibility: internal)
    public func forEachLatest<A: Sendable, B: Sendable>(
        waitsForLast: Bool = false,
        @_inheritActorContext @_implicitSelfCapture
        _ body: sending @escaping @isolated(any) (A, B) async throws -> Void
    ) async throws where T == (A, B) {
        try await forEachLatest(Transformation(run: body), waitsForLast: waitsForLast)
    }

    /// Runs a closure with three values of each element, and stops it when the next element arrives.
    ///
    /// Like ``forEachLatest(waitsForLast:_:)``, with a parameter for each value.
    @_documentation(visibility: internal)
    public func forEachLatest<A: Sendable, B: Sendable, C: Sendable>(
        waitsForLast: Bool = false,
        @_inheritActorContext @_implicitSelfCapture
        _ body: sending @escaping @isolated(any) (A, B, C) async throws -> Void
    ) async throws where T == (A, B, C) {
        try await forEachLatest(Transformation(run: body), waitsForLast: waitsForLast)
    }
}
