public import SimpleFutures

// A step of a chain: the task of `asyncMap` and similar functions, which waits for its input, runs a closure, and
// completes a future. Inlinable for the same reason as `Future(operation:)`: see row 19 of the benchmarks.

/// Ends a step's wait for its input if the link to the source is canceled or lost.
@usableFromInline
final class AsyncEntrance: Sendable {
    private let input: AnyFuture

    /// - Parameter source: The future with the work that the step waits for. It is set before the task begins, so that
    ///   a waiter can raise that work's priority.
    @usableFromInline
    init(for input: AnyFuture, after source: AnyFuture) {
        input.inheritWork(of: source)
        self.input = input
    }

    deinit { input.cancelAsTarget() }
}

extension Futurable {
    /// Returns a future that a task completes with the closure's result for the value or error.
    ///
    /// The task is started in this call, so it inherits the caller's actor, priority and task-local values.
    ///
    /// - Parameters:
    ///   - kind: `.transform` for closures that take values, `.recovery` for closures that take errors.
    ///   - input: The closure's input; nil passes the result on.
    @inlinable
    func asyncDerive<Input: Sendable, Output: Sendable>(
        _ kind: ObserverKind, name: String?, priority: TaskPriority?, under token: CancelToken,
        _ operation: Transformation<Input, Output>, input: @escaping @Sendable (Try<T>) -> Input?
    ) -> Future<Output> {
        let (derived, entering) = (Future<Output>(), Future<Input>())
        // Under a token, the claim of its own link decides between the closure's result and a cancellation.
        let output = token == .none ? derived : Future<Output>()
        let source = asFuture(cancelToken: token)
        let entrance = AsyncEntrance(for: entering, after: source)
        // Before the task starts: if the source has ended, the task need not wait, or is not needed.
        source.observe(kind, under: token, target: derived) { source, target in
            guard let target, let result = source.settledResult(as: T.self) else { return }
            guard let input = input(result) else { return forward(source, to: target, as: Output.self) }
            withExtendedLifetime(entrance) { _ = entering.settle(.success(input)) }
            if output !== target { output.lead(to: target, under: token) }
        }
        guard derived.phase == .pending else { return derived }
        let task =
            operation.isolation == nil
            ? Task(name: name, priority: priority) {
                await output.complete(with: operation, after: entering, for: derived, under: token)
            }
            : startTask(on: operation.isolation, name: name, priority: priority) { _ in
                await output.complete(with: operation, after: entering, for: derived, under: token)
            }
        derived.setProducer(task)
        if output !== derived { derived.observe(.cancellation) { _, _ in task.cancel() } }
        return derived
    }
}

extension Future {
    /// Waits for the input, and runs the closure inside the task.
    @inlinable
    func complete<Input: Sendable>(
        with operation: Transformation<Input, T>, after input: Future<Input>, for derived: AnyFuture,
        under token: CancelToken
    ) async {
        // The wait ends in any case: see `AsyncEntrance`.
        if input.phase == .pending { await input.settled(abandons: false) }
        // A canceled step must not begin. Its token or future is known to be canceled before the task is: first the
        // token, then the future.
        guard case .success(let input) = input.settledResult(as: Input.self), !token.isCancelled, !derived.isCancelled
        else { return }
        let result: Try<T>
        do { result = .success(try await operation.run(input)) } catch { result = .failure(error) }
        settle(result)
    }
}
