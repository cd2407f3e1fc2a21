import SimpleFutures

/// The task of `asyncMap` and similar functions.
///
/// It waits for its input, runs a closure, and completes a future.
///
/// The task is started when the combinator is called, so it inherits the caller's actor, priority and task-local
/// values. ``enter(with:)`` provides the input when the source has ended. If the link to the source is canceled or
/// lost, the step is released and the task ends.
final class AsyncStep<Input: Sendable, Output: Sendable>: Sendable {
    private let entrance = Future<Input>()
    private let output = Future<Output>()

    /// - Parameters:
    ///   - derived: The derived future. It holds the task, and cancels it when canceled.
    ///   - source: The future with the work that the task waits for. It is set before the task begins, so that a waiter
    ///     can raise that work's priority.
    ///   - token: The token of the registration.
    init(
        for derived: Future<Output>, after source: AnyFuture, under token: CancelToken, name: String?,
        priority: TaskPriority?,
        _ operation: Transformation<Input, Output>
    ) {
        let (entrance, output) = (entrance, output)
        entrance.inheritWork(of: source)
        let task = startTask(on: operation.isolation, name: name, priority: priority) { _ in
            // A canceled step must not begin. Its token or future is known to be canceled before the task is: first the
            // token, then the future.
            guard case .success(let input) = await entrance.outcome, !token.isCancelled, !derived.isCancelled else {
                return
            }
            do { output.settle(.success(try await operation.run(input))) } catch { output.settle(.failure(error)) }
        }
        derived.setWorker(Worker(task))
        derived.observe(.cancellation) { _, _ in task.cancel() }
    }

    deinit { entrance.cancelAsTarget() }

    /// Provides the input.
    ///
    /// Returns a future of the closure's result.
    func enter(with input: Input) -> Future<Output> {
        entrance.settle(.success(input))
        return output
    }
}

extension Futurable {
    /// Returns a future that a task completes with the closure's result for the value or error.
    ///
    /// - Parameters:
    ///   - kind: `.transform` for closures that take values, `.recovery` for closures that take errors.
    ///   - input: The closure's input; nil passes the result on.
    func asyncDerive<Input: Sendable, Output: Sendable>(
        _ kind: ObserverKind, name: String?, priority: TaskPriority?, under token: CancelToken,
        _ operation: Transformation<Input, Output>, input: @escaping @Sendable (Try<T>) -> Input?
    ) -> Future<Output> {
        let derived = Future<Output>()
        let source = asFuture(cancelToken: token)
        let step = AsyncStep(
            for: derived, after: source, under: token, name: name, priority: priority, operation)
        source.observe(kind, under: token, target: derived) { source, target in
            guard let target, let result = source.settledResult(as: T.self) else { return }
            if let input = input(result) {
                step.enter(with: input).lead(to: target, under: token)
            } else {
                forward(source, to: target, as: Output.self)
            }
        }
        return derived
    }
}
