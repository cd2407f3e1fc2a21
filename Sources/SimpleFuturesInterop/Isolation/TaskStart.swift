/// The body of a task that begins on an actor.
@usableFromInline
typealias TaskBody = @Sendable (isolated (any Actor)?) async -> Void

/// Starts a task that begins on an actor, like a task created there.
///
/// A task whose closure does not mention the actor begins elsewhere and hops to the actor; two such tasks may overtake
/// each other.
///
/// - Parameters:
///   - actor: The actor to begin on; nil for the global executor.
///   - name: The name of the task, for debuggers.
///   - priority: The priority. Nil takes that of the caller.
///   - body: The task's closure. It gets the actor, so that calls on the actor need no hop.
@usableFromInline @discardableResult
func startTask(
    on actor: (any Actor)?, name: String?, priority: TaskPriority?, _ body: @escaping TaskBody
) -> Task<Void, Never> {
    // The parameter of `make` is isolated only for the sake of the closure. `make` accesses nothing of the actor, so
    // the caller need not be on it, but Swift has no other way to express that.
    typealias Make = (isolated (any Actor)?, String?, TaskPriority?, @escaping TaskBody) -> Task<Void, Never>
    typealias MakeAnywhere = ((any Actor)?, String?, TaskPriority?, @escaping TaskBody) -> Task<Void, Never>
    let make: Make = makeTask
    return unsafeBitCast(make, to: MakeAnywhere.self)(actor, name, priority, body)
}

/// Like `startTask`, but the task begins at once if the caller is on the actor.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
func startTaskImmediately(
    on actor: (any Actor)?, name: String?, priority: TaskPriority?, _ body: @escaping TaskBody
) -> Task<Void, Never> {
    typealias Make = (isolated (any Actor)?, String?, TaskPriority?, @escaping TaskBody) -> Task<Void, Never>
    typealias MakeAnywhere = ((any Actor)?, String?, TaskPriority?, @escaping TaskBody) -> Task<Void, Never>
    let make: Make = makeImmediateTask
    return unsafeBitCast(make, to: MakeAnywhere.self)(actor, name, priority, body)
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private func makeImmediateTask(
    on actor: isolated (any Actor)?, name: String?, priority: TaskPriority?, _ body: @escaping TaskBody
) -> Task<Void, Never> {
    Task.immediate(name: name, priority: priority) {
        _ = actor
        await body(actor)
    }
}

private func makeTask(
    on actor: isolated (any Actor)?, name: String?, priority: TaskPriority?, _ body: @escaping TaskBody
) -> Task<Void, Never> {
    Task(name: name, priority: priority) {
        _ = actor
        await body(actor)
    }
}

/// Starts a task that begins on an actor, without the caller's priority and task-local values.
///
/// It begins on its closure's actor, so tasks keep their order.
///
/// - Parameters:
///   - actor: The actor to begin on.
///   - body: The task's closure.
func startDetachedTask(on actor: any Actor, _ body: @escaping @Sendable () -> Void) {
    // As in `startTask`: the parameter is isolated only for the sake of the closure.
    typealias Make = (isolated any Actor, @escaping @Sendable () -> Void) -> Void
    typealias MakeAnywhere = (any Actor, @escaping @Sendable () -> Void) -> Void
    let make: Make = makeDetachedTask
    unsafeBitCast(make, to: MakeAnywhere.self)(actor, body)
}

private func makeDetachedTask(on actor: isolated any Actor, _ body: @escaping @Sendable () -> Void) {
    // All with the same priority: an actor prefers higher priorities, which would change the order.
    Task.detached(
        priority: .medium,
        operation: ofCaller {
            _ = actor
            body()
        })
}

/// Returns the closure, isolated to the caller's actor.
private func ofCaller(
    @_inheritActorContext _ closure: @escaping @isolated(any) @Sendable () async -> Void
) -> @isolated(any) @Sendable () async -> Void { closure }

/// Carries the user's closure into the task that runs it.
///
/// The closure was sent to the library, which only passes it on to one task. The compiler cannot check that across
/// several functions.
@usableFromInline @frozen
struct Operation<Output: Sendable>: @unchecked Sendable {
    // Sendable: the closure was sent, and only one task uses it.
    @usableFromInline let run: @isolated(any) () async throws -> Output

    @inlinable
    init(run: @escaping @isolated(any) () async throws -> Output) { self.run = run }

    @inlinable
    var isolation: (any Actor)? { run.isolation }
}

/// Like `Operation`, for a closure with an input.
@usableFromInline @frozen
struct Transformation<Input: Sendable, Output: Sendable>: @unchecked Sendable {
    // Sendable like `Operation`.
    @usableFromInline let isolation: (any Actor)?
    /// Should be called on the actor; from elsewhere it needs a hop.
    @usableFromInline let run: (Input) async throws -> Output

    @inlinable
    init(run closure: @escaping @isolated(any) (Input) async throws -> Output) {
        isolation = closure.isolation
        run = { (input: Input) async throws -> Output in try await closure(input) }
    }

    @inlinable
    init<A, B>(run closure: @escaping @isolated(any) (A, B) async throws -> Output) where Input == (A, B) {
        isolation = closure.isolation
        run = { (input: Input) async throws -> Output in try await closure(input.0, input.1) }
    }

    @inlinable
    init<A, B, C>(run closure: @escaping @isolated(any) (A, B, C) async throws -> Output) where Input == (A, B, C) {
        isolation = closure.isolation
        run = { (input: Input) async throws -> Output in try await closure(input.0, input.1, input.2) }
    }

    @inlinable
    init<A, B, C, D>(
        run closure: @escaping @isolated(any) (A, B, C, D) async throws -> Output
    ) where Input == (A, B, C, D) {
        isolation = closure.isolation
        run = { (input: Input) async throws -> Output in try await closure(input.0, input.1, input.2, input.3) }
    }

    @inlinable
    init(_ operation: Operation<Output>) where Input == Void {
        isolation = operation.isolation
        run = { (_: Void) async throws -> Output in try await operation.run() }
    }
}
