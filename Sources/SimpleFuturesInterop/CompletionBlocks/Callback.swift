public import SimpleFutures

// One function for each shape of completion handler. They have in common:
//
// - A task runs the asynchronous closure. The completion handler runs once, with what that returns or throws, also when
//   it was canceled; never before `callback` has returned on the stack of its caller; then it is released.
// - A completion handler that belongs to an actor runs there; others run on the context.
// - The token that is returned cancels the task. A closure that has not begun then does not run, if the handler has a
//   place for the `CancellationError`.

/// `(T?, Error?)`: gives a completion handler what an asynchronous closure returns or throws.
///
/// The way back, for callers that have handlers still:
///
///     func load(
///         _ id: Int, completion: @escaping @Sendable (Profile?, (any Error)?) -> Void
///     ) {
///         callback(completion) { try await self.profile(id) }
///     }
///
/// A task runs the closure. As with `Task.init` the closure belongs to the caller's actor, if it uses that, and the
/// task takes over the caller's priority and task-local values.
///
/// - Parameters:
///   - completion: Runs exactly once, with a value or an error, after this call has returned or on another thread; then
///     it is released. If it is a `@MainActor` closure, or belongs to another actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. If the closure has not
///   begun, it does not run, and the handler gets `CancellationError`. You can ignore it: releasing it cancels nothing.
@_disfavoredOverload
@discardableResult
public func callback<T: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (T?, (any Error)?) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) {
        block($0.value, $0.error)
    }
}

/// `(Error?)`: gives a completion handler the error that an asynchronous closure throws, or nil.
///
///     func save(
///         _ profile: Profile, completion: @escaping @Sendable ((any Error)?) -> Void
///     ) {
///         callback(completion) { try await self.save(profile) }
///     }
///
/// It is ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)`` otherwise.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. May be ignored; dropping
///   it cancels nothing.
@discardableResult
public func callback(
    _ completion: @escaping @isolated(any) @Sendable ((any Error)?) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> Void
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) { block($0.error) }
}

/// `(Result)`: gives a completion handler the `Result` of an asynchronous closure.
///
///     func load(
///         _ id: Int, completion: @escaping @Sendable (Result<Profile, any Error>) -> Void
///     ) {
///         callback(completion) { try await self.profile(id) }
///     }
///
/// It is ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)`` otherwise.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. May be ignored; dropping
///   it cancels nothing.
@discardableResult
public func callback<T: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (Result<T, any Error>) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) { block($0.result) }
}

/// `(Result<T, Failure>)`: gives a completion handler the `Result` of a closure that throws errors of one type.
///
///     func load(
///         _ id: Int, completion: @escaping @Sendable (Result<Profile, LoadError>) -> Void
///     ) {
///         callback(completion) { () async throws(LoadError) in
///             try await self.profile(id)
///         }
///     }
///
/// As the handler has no place for a `CancellationError`, the closure runs in any case, and asks `Task.isCancelled`
/// itself. It is ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)`` otherwise.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. May be ignored; dropping
///   it cancels nothing.
@discardableResult
public func callback<T: Sendable, Failure: Error>(
    _ completion: @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture
    operation: sending @escaping @isolated(any) () async throws(Failure) -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation), mustRun: true) {
        // The closure throws nothing else, and it has run.
        block($0.result.mapError { $0 as! Failure })
    }
}

/// `(T)`: gives a completion handler the value of an asynchronous closure that throws nothing.
///
///     func count(completion: @escaping @Sendable (Int) -> Void) {
///         callback(completion) { await self.count() }
///     }
///
/// As the handler has no place for a `CancellationError`, the closure runs in any case, and asks `Task.isCancelled`
/// itself. It is ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)`` otherwise.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. May be ignored; dropping
///   it cancels nothing.
@_disfavoredOverload
@discardableResult
public func callback<T: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (T) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation), mustRun: true) { result in
        if case .success(let value) = result { block(value) }
    }
}

/// `()`: tells a completion handler that an asynchronous closure, which throws nothing, has returned.
///
///     func refresh(completion: @escaping @Sendable () -> Void) {
///         callback(completion) { await self.refresh() }
///     }
///
/// As the handler has no place for a `CancellationError`, the closure runs in any case, and asks `Task.isCancelled`
/// itself. It is ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)`` otherwise.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. May be ignored; dropping
///   it cancels nothing.
@discardableResult
public func callback(
    _ completion: @escaping @isolated(any) @Sendable () -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async -> Void
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation), mustRun: true) { _ in
        block()
    }
}

/// `(A?, B?, Error?)`: gives a completion handler the two values that an asynchronous closure returns, or its error.
///
///     func fetch(
///         _ url: URL,
///         completion: @escaping @Sendable (Data?, Response?, (any Error)?) -> Void
///     ) {
///         callback(completion) { try await self.fetch(url) }    // (Data, Response)
///     }
///
/// It is ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)`` otherwise.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: Cancels the task: the completion handler then gets what the closure makes of that. May be ignored; dropping
///   it cancels nothing.
@discardableResult
public func callback<A: Sendable, B: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (A?, B?, (any Error)?) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> (A, B)
) -> CancelToken {
    let block = IsolatedCallback.bare(completion)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) {
        block($0.value?.0, $0.value?.1, $0.error)
    }
}

/// Runs the closure, then the handler.
private func answer<T: Sendable>(
    _ isolation: (any Actor)?, _ context: any ExecutionContext, _ name: String?, _ priority: TaskPriority?,
    _ operation: Operation<T>, mustRun: Bool = false, _ block: @escaping @Sendable (Try<T>) -> Void
) -> CancelToken {
    let token = CancelToken()
    let future = Future<T>()
    // Registered before the task is made: otherwise it might have ended, and the handler run here.
    future.onComplete(context: isolation.map { ActorContext($0) } ?? context, completion: block)
    future.run(name: name, priority: priority, under: token, operation, mustRun: mustRun)
    return token
}
