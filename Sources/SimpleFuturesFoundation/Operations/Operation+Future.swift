public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

extension Operation: CancellableHandle {}

extension Operation {
    /// Returns a future that is completed when the operation has finished.
    ///
    ///     let image = resize.finished(cancelToken: closed).map { resize.image }
    ///
    /// It fails with `CancellationError` if the operation finishes as one that was canceled. Dropping the future
    /// cancels nothing. An operation that is never started completes nothing: it stays in memory as long as somebody
    /// holds the future or waits for it; with a token, until that is canceled.
    ///
    /// - Parameters:
    ///   - cancelToken: Cancels the operation.
    ///   - response: Whether the future is canceled with the token, at once, or waits until the operation has
    ///     finished.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func finished(
        cancelToken: CancelToken = .none, onCancel response: TaskCancellationResponse = .abandon,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Void> {
        let leaving = Lock<(@Sendable () -> Void)?>(nil)
        let finish = future(cancelToken: cancelToken, onCancel: response, fileID: fileID, line: line) {
            (completion: @escaping @Sendable ((any Error)?) -> Void) in
            // Not by `completionBlock`, which is the user's, who may set it at any time.
            // On a queue of its own: a queue looks at all that wait in it whenever one can go on.
            let queue = OperationQueue()
            let observer = BlockOperation { [self] in
                withExtendedLifetime(queue) { completion(isCancelled ? CancellationError() : nil) }
            }
            observer.addDependency(self)
            queue.addOperation(observer)
            leaving.withLock {
                $0 = { [weak self] in
                    completion(CancellationError())
                    observer.cancel()
                    if let self { observer.removeDependency(self) }
                }
            }
            return CancelAction { [self] in
                cancel()
                // Nobody waits for it any more, so it need not be kept, as it may never start.
                if response == .abandon {
                    observer.cancel()
                    observer.removeDependency(self)
                }
            }
        }
        // Under a token that was canceled before nobody has been asked for a handle.
        if cancelToken.isCancelled { cancel() }
        guard cancelToken == .none else { return finish }
        // The operation may never start: it is kept only as long as somebody waits for its end or holds the future.
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
    /// Adds an operation, and gives a future of its result.
    ///
    ///     let image = queue.run(ResizeOperation(photo), cancelToken: closed) { $0.image }
    ///
    /// - Parameters:
    ///   - operation: What to add; it must not be in a queue yet.
    ///   - cancelToken: Cancels the operation, and the future at once.
    ///   - result: Runs when the operation has finished, unless it was canceled; then the future fails with
    ///     `CancellationError`. What it throws fails the future.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func run<O: Operation, T: Sendable>(
        _ operation: O, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        result: @escaping @Sendable (O) throws -> T
    ) -> Future<T> {
        let finish = operation.finished(cancelToken: cancelToken, fileID: fileID, line: line)
        addOperation(operation)
        return finish.map(context: ImmediateContext(), cancelToken: cancelToken) { try result(operation) }
    }
}
