public import SimpleFutures

// One function for each shape of completion handler. They have in common:
//
// - A task runs the asynchronous closure. The completion handler runs exactly once, with the closure's result, even
//   after a cancellation; never before `callback` returns on the caller's stack. Then it is released.
// - A completion handler isolated to an actor runs there; others run on the context.
// - The returned token cancels the task. A closure that has not begun then does not run, if the handler can take a
//   `CancellationError`.

/// `(T?, Error?)`: passes the result of an asynchronous closure to a completion handler.
///
/// Use it when the implementation is async and callers still pass completion handlers:
///
///     func load(
///         _ id: Int, completion: @escaping @Sendable (Profile?, (any Error)?) -> Void
///     ) {
///         callback(completion) { try await self.profile(id) }
///     }
///
/// A task runs the closure. As with `Task.init`, the closure is isolated to the caller's actor if it uses that, and the
/// task inherits the caller's priority and task-local values.
///
/// The handler must be `@Sendable` or `@MainActor`, because the task calls it later. If it is optional, write
/// `callback({ completion?($0, $1) }) { … }`.
///
/// - Parameters:
///   - completion: Runs exactly once, with a value or an error, after this call has returned or on another thread; then
///     it is released. If it is a `@MainActor` closure, or belongs to another actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. If the closure has not begun, it does not run, and the handler gets `CancellationError`. You can
///   ignore it: releasing it doesn't cancel the task.
@_disfavoredOverload
@discardableResult
public func callback<T: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (T?, (any Error)?) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) {
        block($0.value, $0.error)
    }
}

/// `(Error?)`: passes the error of an asynchronous closure, or nil, to a completion handler.
///
///     func save(
///         _ profile: Profile, completion: @escaping @Sendable ((any Error)?) -> Void
///     ) {
///         callback(completion) { try await self.save(profile) }
///     }
///
/// Otherwise like ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)``.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. You can ignore it: releasing it doesn't cancel the task.
@discardableResult
public func callback(
    _ completion: @escaping @isolated(any) @Sendable ((any Error)?) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> Void
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) { block($0.error) }
}

/// `(Result)`: passes the result of an asynchronous closure to a completion handler.
///
///     func load(
///         _ id: Int, completion: @escaping @Sendable (Result<Profile, any Error>) -> Void
///     ) {
///         callback(completion) { try await self.profile(id) }
///     }
///
/// Otherwise like ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)``.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. You can ignore it: releasing it doesn't cancel the task.
@discardableResult
public func callback<T: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (Result<T, any Error>) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
    return answer(completion.isolation, context, name, priority, Operation(run: operation)) { block($0.result) }
}

/// `(Result<T, Failure>)`: passes the result of an asynchronous closure with typed errors to a completion handler.
///
///     func load(
///         _ id: Int, completion: @escaping @Sendable (Result<Profile, LoadError>) -> Void
///     ) {
///         callback(completion) { () async throws(LoadError) in
///             try await self.profile(id)
///         }
///     }
///
/// Because the handler cannot take a `CancellationError`, the closure always runs, and checks `Task.isCancelled`
/// itself. Otherwise like ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)``.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. You can ignore it: releasing it doesn't cancel the task.
@discardableResult
public func callback<T: Sendable, Failure: Error>(
    _ completion: @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture
    operation: sending @escaping @isolated(any) () async throws(Failure) -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
    return answer(completion.isolation, context, name, priority, Operation(run: operation), mustRun: true) {
        // The closure throws nothing else, and it has run. The error of a `Stopped` comes without it.
        block($0.result.mapError { failure($0, as: Failure.self)! })
    }
}

/// `(T)`: passes the value of an asynchronous closure that cannot fail to a completion handler.
///
///     func count(completion: @escaping @Sendable (Int) -> Void) {
///         callback(completion) { await self.count() }
///     }
///
/// Because the handler cannot take a `CancellationError`, the closure always runs, and checks `Task.isCancelled`
/// itself. Otherwise like ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)``.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. You can ignore it: releasing it doesn't cancel the task.
@_disfavoredOverload
@discardableResult
public func callback<T: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (T) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async -> T
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
    return answer(completion.isolation, context, name, priority, Operation(run: operation), mustRun: true) { result in
        if case .success(let value) = result { block(value) }
    }
}

/// `()`: calls a completion handler when an asynchronous closure that cannot fail has returned.
///
///     func refresh(completion: @escaping @Sendable () -> Void) {
///         callback(completion) { await self.refresh() }
///     }
///
/// Because the handler cannot take a `CancellationError`, the closure always runs, and checks `Task.isCancelled`
/// itself. Otherwise like ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)``.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. You can ignore it: releasing it doesn't cancel the task.
@discardableResult
public func callback(
    _ completion: @escaping @isolated(any) @Sendable () -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async -> Void
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
    return answer(completion.isolation, context, name, priority, Operation(run: operation), mustRun: true) { _ in
        block()
    }
}

/// `(A?, B?, Error?)`: passes the two values of an asynchronous closure, or its error, to a completion handler.
///
///     func fetch(
///         _ url: URL,
///         completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
///     ) {
///         callback(completion) { try await self.fetch(url) }    // (Data, URLResponse)
///     }
///
/// Otherwise like ``callback(_:context:name:priority:operation:)-((T?,(Error)?)->Void,_,_,_,_)``.
///
/// - Parameters:
///   - completion: Runs exactly once, after this call has returned or on another thread; then it is released. If it
///     belongs to an actor, it runs there.
///   - context: The context that runs any other completion handler: by default the main queue. If it drops its task,
///     the handler is not called.
///   - name: The task's name, for debuggers.
///   - priority: The task's priority. Nil takes that of the caller.
///   - operation: Runs once.
/// - Returns: A token that cancels the task. The completion handler then gets the closure's response to the
///   cancellation. You can ignore it: releasing it doesn't cancel the task.
@discardableResult
public func callback<A: Sendable, B: Sendable>(
    _ completion: @escaping @isolated(any) @Sendable (A?, B?, (any Error)?) -> Void,
    context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> (A, B)
) -> CancelToken {
    let block = IsolatedCallback.bare(completion, runs: .once)
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
    // Registered before the task starts: otherwise the task could have ended, and the handler would run on this stack.
    future.onComplete(context: isolation.map { ActorContext($0) } ?? context, completion: block)
    future.run(name: name, priority: priority, under: token, operation, mustRun: mustRun)
    return token
}
