import SimpleFutures

/// The part of `asyncMap` and its like that runs in a task: a task that waits until it is let in, runs a closure, and
/// completes a future.
///
/// The task is made when the combinator is called, so it has the caller's actor, priority and task-local values.
/// Whether the closure runs is decided where the link to the source is: there ``enter(with:)`` lets the task in. If the
/// link is detached or lost, the step is released, and the task ends.
final class AsyncStep<Input: Sendable, Output: Sendable>: Sendable {
    private let entrance = Future<Input>()
    private let output = Future<Output>()

    /// - Parameters:
    ///   - derived: The future that the step is for. It knows the task, and cancels it when it is canceled.
    ///   - source: Has the work that the task waits for, and that a waiter raises: known before the task begins.
    ///   - token: The token that it is detached by.
    init(
        for derived: Future<Output>, after source: AnyFuture, under token: CancelToken, name: String?,
        priority: TaskPriority?,
        _ operation: Transformation<Input, Output>
    ) {
        let (entrance, output) = (entrance, output)
        entrance.inheritWork(of: source)
        let task = startTask(on: operation.isolation, name: name, priority: priority) { _ in
            // What was detached meanwhile must not begin, and that is known before the task is canceled: first by the
            // token, then by the future.
            guard case .success(let input) = await entrance.outcome, !token.isCancelled, !derived.isCancelled else {
                return
            }
            do { output.settle(.success(try await operation.run(input))) } catch { output.settle(.failure(error)) }
        }
        derived.setWorker(Worker(task))
        derived.observe(.cancellation) { _, _ in task.cancel() }
    }

    deinit { entrance.cancelAsTarget() }

    /// Lets the task in; the future is of what the closure makes of the input.
    func enter(with input: Input) -> Future<Output> {
        entrance.settle(.success(input))
        return output
    }
}

extension Futurable {
    /// Returns a future that a task completes with what a closure makes of the value, or of the error.
    ///
    /// - Parameters:
    ///   - kind: Whether the closure is for values, `.transform`, or for errors, `.recovery`.
    ///   - input: What the closure gets; nil passes the result on.
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
