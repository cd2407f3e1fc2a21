import SimpleFutures

/// The part of `asyncMap` and its like that runs in a task: a task that waits until it is let in, runs a closure, and completes a
/// future.
///
/// The task is made when the combinator is called, so it has the caller's actor, priority and task-local values. Whether the
/// closure runs is decided where the link to the source is: there ``enter(with:)`` lets the task in. If the link is detached or
/// lost, the step is released, and the task ends.
final class AsyncStep<Input: Sendable, Output: Sendable>: Sendable {
    private let entrance = Future<Input>()
    private let output = Future<Output>()
    let task: Task<Void, Never>

    init(name: String?, priority: TaskPriority?, _ operation: Transformation<Input, Output>) {
        let (entrance, output) = (entrance, output)
        task = startTask(on: operation.isolation, name: name, priority: priority) { _ in
            guard case .success(let input) = await entrance.outcome else { return }
            do { output.settle(.success(try await operation.run(input))) } catch { output.settle(.failure(error)) }
        }
    }

    deinit { entrance.cancelAsTarget() }

    /// Lets the task in; the future is of what the closure makes of the input.
    func enter(with input: Input) -> Future<Output> {
        entrance.settle(.success(input))
        return output
    }
}

extension Future {
    /// Makes a task the one behind this derived future: it is cancelled with the future, and raised by those who wait for it.
    func link(to task: Task<Void, Never>) -> Future<T> {
        setWorker(ProducerTask(task))
        observe(.cancellation) { _, _ in task.cancel() }
        return self
    }
}
