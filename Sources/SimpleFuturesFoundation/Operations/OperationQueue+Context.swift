public import Foundation
public import SimpleFutures

/// Every operation queue is a context: `future.onSuccess(context: queue) { … }`.
///
/// A callback is an operation: a suspended queue delays it, and `maxConcurrentOperationCount` counts it. With a count
/// of 1 callbacks keep their order. If all operations are canceled, waiting callbacks do not run, and futures that
/// depend on them fail with `FuturesError.brokenPromise(createdAt:)`.
///
/// `OperationQueue.main` is the exception: it is the same context as `QueueContext.main`, and its callbacks are not
/// operations.
extension OperationQueue: ExecutionContext {
    /// Runs the task as an operation.
    public func execute(_ task: @escaping @Sendable () -> Void) { addOperation(task) }

    // The main operation queue leads to the main queue, so callbacks on both keep their order.
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { self === OperationQueue.main ? QueueContext.main._route : .custom(self) }
}
