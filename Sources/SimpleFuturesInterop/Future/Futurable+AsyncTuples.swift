public import SimpleFutures

// For futures of tuples, closures with a parameter for each value: the compiler can convert such a closure to one with
// a tuple as its parameter, but then it no longer sees that a closure that belongs to an actor may be sent. That is an
// error in Swift 6 mode.

extension Futurable {
    /// Returns a future of an asynchronous closure's result for two values.
    ///
    /// Like ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable
    public func asyncMap<A: Sendable, B: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B) async throws -> M
    ) -> Future<M> where T == (A, B) {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken, Transformation(run: transform)
        ) { $0.value }
    }

    /// Returns a future of the result of the future that an asynchronous closure returns for two values.
    ///
    /// Like ``asyncFlatMap(name:priority:cancelToken:_:)-(_,_,_,(T)->Future<M>)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable
    public func asyncFlatMap<A: Sendable, B: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B) async throws -> Future<M>
    ) -> Future<M> where T == (A, B) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure with two values.
    ///
    /// Like ``asyncForEach(name:priority:cancelToken:_:)-(_,_,_,(T)->Void)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable @discardableResult
    public func asyncForEach<A: Sendable, B: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (A, B) async throws -> Void
    ) -> Future<Void> where T == (A, B) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }

    /// Returns a future of an asynchronous closure's result for three values.
    ///
    /// Like ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable
    public func asyncMap<A: Sendable, B: Sendable, C: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B, C) async throws -> M
    ) -> Future<M> where T == (A, B, C) {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken, Transformation(run: transform)
        ) { $0.value }
    }

    /// Returns a future of the result of the future that an asynchronous closure returns for three values.
    ///
    /// Like ``asyncFlatMap(name:priority:cancelToken:_:)-(_,_,_,(T)->Future<M>)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable
    public func asyncFlatMap<A: Sendable, B: Sendable, C: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B, C) async throws -> Future<M>
    ) -> Future<M> where T == (A, B, C) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure with three values.
    ///
    /// Like ``asyncForEach(name:priority:cancelToken:_:)-(_,_,_,(T)->Void)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable @discardableResult
    public func asyncForEach<A: Sendable, B: Sendable, C: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (A, B, C) async throws -> Void
    ) -> Future<Void> where T == (A, B, C) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }

    /// Returns a future of an asynchronous closure's result for four values.
    ///
    /// Like ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable
    public func asyncMap<A: Sendable, B: Sendable, C: Sendable, D: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B, C, D) async throws -> M
    ) -> Future<M> where T == (A, B, C, D) {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken, Transformation(run: transform)
        ) { $0.value }
    }

    /// Returns a future of the result of the future that an asynchronous closure returns for four values.
    ///
    /// Like ``asyncFlatMap(name:priority:cancelToken:_:)-(_,_,_,(T)->Future<M>)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable
    public func asyncFlatMap<A: Sendable, B: Sendable, C: Sendable, D: Sendable, M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (A, B, C, D) async throws -> Future<M>
    ) -> Future<M> where T == (A, B, C, D) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure with four values.
    ///
    /// Like ``asyncForEach(name:priority:cancelToken:_:)-(_,_,_,(T)->Void)``, with a parameter for each value.
    @_documentation(visibility: internal) @inlinable @discardableResult
    public func asyncForEach<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (A, B, C, D) async throws -> Void
    ) -> Future<Void> where T == (A, B, C, D) {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }
}
