public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

extension Operation: CancellableHandle {}

extension Operation {
    /// Returns a future that is completed when the operation has finished.
    ///
    ///     queue.addOperation(resize)
    ///     let image = resize.finished(cancelToken: token).map { resize.image }
    ///
    /// It fails with `CancellationError` if the operation finishes as canceled. Releasing the future does not cancel
    /// the operation. An operation that is never started never completes the future: it stays in memory while the
    /// future is held or has waiters. With a token it stays until that is canceled, and with `.wait` for good.
    ///
    /// - Parameters:
    ///   - cancelToken: Cancels the operation.
    ///   - response: Whether a cancellation cancels the future at once, or the future waits until the operation has
    ///     finished.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func finished(
        cancelToken: CancelToken = .none, onCancel response: TaskCancellationResponse = .abandon,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Void> {
        var hasBegun = false
        let leaving = Lock<(@Sendable () -> Void)?>(nil)
        let finish = future(cancelToken: cancelToken, onCancel: response, fileID: fileID, line: line) {
            (completion: @escaping @Sendable ((any Error)?) -> Void) in
            hasBegun = true
            // Not with `completionBlock`, which belongs to the user, who may set it at any time. On a separate queue,
            // because a queue checks all of its waiting operations whenever one can run.
            let queue = OperationQueue()
            // The future may be released just as the operation ends.
            let untilFirst = Lock(Optional(completion))
            let observer = BlockOperation { [self] in
                withExtendedLifetime(queue) { untilFirst.exchange(nil)?(isCancelled ? CancellationError() : nil) }
            }
            observer.addDependency(self)
            queue.addOperation(observer)
            leaving.withLock {
                $0 = { [weak self] in
                    untilFirst.exchange(nil)?(CancellationError())
                    observer.cancel()
                    if let self { observer.removeDependency(self) }
                }
            }
            return CancelAction { [self] in
                cancel()
                // The future has ended, so the operation, which may never start, need not be held.
                if response == .abandon {
                    observer.cancel()
                    observer.removeDependency(self)
                }
            }
        }
        if cancelToken.isCancelled { cancel() }
        // If the token was canceled before, no handle has been created; but the operation may be running.
        if !hasBegun, response == .wait { return finished(fileID: fileID, line: line) }
        guard cancelToken == .none else { return finish }
        // The operation may never start: it is held only while the future is held or has waiters.
        let held = Future<Void>()
        held.observe(.plumbing) { held, _ in
            let leave = leaving.exchange(nil)
            if held.phase == .abandoned { leave?() }
        }
        finish.observe(.forwarding, leavingWith: held) { source, target in
            if let target { forward(source, to: target, as: Void.self) }
        }
        return held
    }
}

extension OperationQueue {
    /// Adds an operation, and returns a future of its result.
    ///
    ///     let image = queue.run(ResizeOperation(photo), cancelToken: token) { $0.image }
    ///
    /// - Parameters:
    ///   - operation: The operation. It must not be in a queue yet.
    ///   - cancelToken: Cancels the operation, and the future at once.
    ///   - result: Runs when the operation has finished, on any thread. If that was canceled, the closure does not run,
    ///     and the future fails with `CancellationError`. If it throws, the future fails.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func run<O: Operation, T: Sendable>(
        _ operation: O, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        result: @escaping @Sendable (O) throws -> T
    ) -> Future<T> {
        let finish = operation.finished(cancelToken: cancelToken, fileID: fileID, line: line)
        addOperation(operation)
        return finish.map(context: ImmediateContext(), cancelToken: cancelToken) { try result(operation) }
    }
}
