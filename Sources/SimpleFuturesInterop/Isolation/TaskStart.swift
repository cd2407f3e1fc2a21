/// The body of a task that begins on an actor.
@usableFromInline
typealias TaskBody = @Sendable (isolated (any Actor)?) async -> Void

/// Makes a task that begins on an actor, as one does that is made there.
///
/// A task whose closure names no actor begins elsewhere and comes to the actor with a hop; two of them then may
/// overtake each other.
///
/// - Parameters:
///   - actor: Where to begin; nil for the global executor.
///   - name: The name of the task, for debuggers.
///   - priority: Nil takes that of the caller.
///   - body: What to do. It gets the actor, so that what it calls for it there need not hop.
@usableFromInline @discardableResult
func startTask(
    on actor: (any Actor)?, name: String?, priority: TaskPriority?, _ body: @escaping TaskBody
) -> Task<Void, Never> {
    // The parameter is isolated for the closure's sake alone. `make` touches nothing of the actor, so the caller need
    // not be on it; but the language knows no other way to say so.
    typealias Make = (isolated (any Actor)?, String?, TaskPriority?, @escaping TaskBody) -> Task<Void, Never>
    typealias MakeAnywhere = ((any Actor)?, String?, TaskPriority?, @escaping TaskBody) -> Task<Void, Never>
    let make: Make = makeTask
    return unsafeBitCast(make, to: MakeAnywhere.self)(actor, name, priority, body)
}

/// The same for a task that begins at once, if the caller is on the actor.
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

/// Makes a task that begins on an actor and has nothing of the caller's: neither its priority nor its task-local values.
///
/// It begins where its closure belongs, so two of them keep their order.
///
/// - Parameters:
///   - actor: Where to begin.
///   - body: What to do there.
func startDetachedTask(on actor: any Actor, _ body: @escaping @Sendable () -> Void) {
    // As in `startTask`: the parameter is isolated for the closure's sake alone.
    typealias Make = (isolated any Actor, @escaping @Sendable () -> Void) -> Void
    typealias MakeAnywhere = (any Actor, @escaping @Sendable () -> Void) -> Void
    let make: Make = makeDetachedTask
    unsafeBitCast(make, to: MakeAnywhere.self)(actor, body)
}

private func makeDetachedTask(on actor: isolated any Actor, _ body: @escaping @Sendable () -> Void) {
    // All of the same priority: an actor prefers the higher ones, and would change the order.
    Task.detached(
        priority: .medium,
        operation: ofCaller {
            _ = actor
            body()
        })
}

/// The closure, which belongs to the caller's actor.
private func ofCaller(
    @_inheritActorContext _ closure: @escaping @isolated(any) @Sendable () async -> Void
) -> @isolated(any) @Sendable () async -> Void { closure }

/// Carries the user's closure into the task that runs it.
///
/// It was sent to the library, which does nothing with it but hand it on to one task; the compiler does not follow it
/// through that many hands.
@usableFromInline @frozen
struct Operation<Output: Sendable>: @unchecked Sendable {
    // Sendable, because the closure was sent, and one task alone gets it.
    @usableFromInline let run: @isolated(any) () async throws -> Output

    @inlinable
    init(run: @escaping @isolated(any) () async throws -> Output) { self.run = run }

    @inlinable
    var isolation: (any Actor)? { run.isolation }
}

/// The same for a closure that gets something.
struct Transformation<Input: Sendable, Output: Sendable>: @unchecked Sendable {
    // Sendable as an operation is.
    let isolation: (any Actor)?
    /// To be called on the actor: from elsewhere it takes a hop.
    let run: (Input) async throws -> Output

    init(run closure: @escaping @isolated(any) (Input) async throws -> Output) {
        isolation = closure.isolation
        run = { (input: Input) async throws -> Output in try await closure(input) }
    }

    init(_ operation: Operation<Output>) where Input == Void {
        isolation = operation.isolation
        run = { (_: Void) async throws -> Output in try await operation.run() }
    }
}
