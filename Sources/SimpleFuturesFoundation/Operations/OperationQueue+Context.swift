public import Foundation
public import SimpleFutures

/// Every operation queue is a context: `future.onSuccess(context: queue) { … }`.
///
/// A callback is an operation, so that a queue that is suspended holds it back, and `maxConcurrentOperationCount`
/// counts it. With a count of 1 callbacks keep their order. What waits in the queue when all operations are canceled
/// does not run; what depends on it fails with `FuturesError.brokenPromise(createdAt:)`.
extension OperationQueue: ExecutionContext {
    /// Runs the task as an operation.
    public func execute(_ task: @escaping @Sendable () -> Void) { addOperation(task) }
}
