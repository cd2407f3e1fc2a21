public import SimpleFutures

// A step of a chain: the task of `asyncMap` and similar functions, which waits for its input, runs a closure, and
// completes a future. Only what depends on the types of values is generic. It is inlinable, so that the compiler
// specializes it in the user's module (row 19 of the benchmarks), and small, because each call has its own copy.

extension Futurable {
    /// Returns a future that a task completes with the closure's result for the value or error.
    ///
    /// The task is started in this call, so it inherits the caller's actor, priority and task-local values.
    ///
    /// - Parameters:
    ///   - kind: `.transform` for closures that take values, `.recovery` for closures that take errors.
    ///   - input: The closure's input.
    @inlinable
    func asyncDerive<Input: Sendable, Output: Sendable>(
        _ kind: ObserverKind, name: String?, priority: TaskPriority?, under token: CancelToken,
        _ operation: Transformation<Input, Output>, input: @escaping @Sendable (Try<T>) -> Input?
    ) -> Future<Output> {
        let derived = Future<Output>()
        // Under a token, the claim of its own link decides between the closure's result and a cancellation.
        let output = token == .none ? derived : Future<Output>()
        let step = AsyncStep(through: output, to: derived, under: token) { forward($0, to: $1, as: Output.self) }
        step.start(kind, after: asFuture(cancelToken: token), on: operation.isolation, name: name, priority: priority) {
            source in
            guard let result = source.settledResult(as: T.self), let input = input(result) else { return }
            do { output.settle(.success(try await operation.run(input))) } catch {
                output.settle(.failure(original(error)))
            }
        }
        return derived
    }
}

/// Starts the task, and connects it with the futures before and after it.
@usableFromInline
struct AsyncStep: Sendable {
    private let output: AnyFuture
    private let derived: AnyFuture
    private let token: CancelToken
    private let forward: @Sendable (AnyFuture, AnyFuture?) -> Void

    /// - Parameters:
    ///   - output: Is completed by the task. It may be the derived future.
    ///   - token: The token of the registration.
    ///   - forward: Completes the second future with the value of the first.
    @usableFromInline
    init(
        through output: AnyFuture, to derived: AnyFuture, under token: CancelToken,
        forward: @escaping @Sendable (AnyFuture, AnyFuture?) -> Void
    ) {
        (self.output, self.derived, self.token, self.forward) = (output, derived, token, forward)
    }

    /// - Parameter body: Runs the closure with the result of the source, and completes the output.
    @usableFromInline
    func start(
        _ kind: ObserverKind, after source: AnyFuture, on actor: (any Actor)?, name: String?, priority: TaskPriority?,
        _ body: @escaping @Sendable (_ source: AnyFuture) async -> Void
    ) {
        // The task gets the source when that has ended: one that is pending breaks if nothing else refers to it.
        let entering = Future<AnyFuture>()
        let entrance = AsyncEntrance(for: entering, after: source)
        let (output, token, forward) = (output, token, forward)
        // Before the task starts: if the source has ended, the task need not wait, or is not needed.
        source.observe(kind, under: token, target: derived) { source, target in
            guard let target else { return }
            if kind == .recovery, source.phase == .succeeded { return forward(source, target) }
            withExtendedLifetime(entrance) { _ = entering.settle(.success(source)) }
            if output !== target { output.lead(to: target, under: token, forwarding: forward) }
        }
        guard derived.phase == .pending else { return }
        let task =
            actor == nil
            ? Task(name: name, priority: priority) { await run(body, after: entering) }
            : startTask(on: actor, name: name, priority: priority) { _ in await run(body, after: entering) }
        derived.setProducer(task)
        if output !== derived { derived.observe(.cancellation) { _, _ in task.cancel() } }
    }

    /// Runs in the task.
    private func run(_ body: @Sendable (AnyFuture) async -> Void, after entering: Future<AnyFuture>) async {
        // A step whose token is canceled must not begin. The token cancels the task last, perhaps on another thread,
        // when the wait for the source has ended already: so the token itself is asked.
        guard case .success(let source) = await entering.outcome, !token.isCancelled else { return }
        await body(source)
    }
}

/// Ends a step's wait for its source if the link to that is canceled or lost.
private final class AsyncEntrance: Sendable {
    private let entering: AnyFuture

    /// - Parameter source: The future with the work that the step waits for. It is set before the task begins, so that
    ///   a waiter can raise that work's priority.
    init(for entering: AnyFuture, after source: AnyFuture) {
        entering.inheritWork(of: source)
        self.entering = entering
    }

    deinit { entering.cancelAsTarget() }
}
