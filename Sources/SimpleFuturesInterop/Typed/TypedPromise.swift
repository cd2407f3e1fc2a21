public import SimpleFutures

/// A promise that completes a ``TypedFuture``.
///
/// The first completion counts. If the promise is released without one, the future fails with a broken promise.
public struct TypedPromise<T: Sendable, Failure: Error>: Sendable {
    /// The same promise without a type for its errors.
    public let promise: Promise<T>

    /// Creates a promise.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public init(fileID: StaticString = #fileID, line: UInt = #line) { promise = Promise(fileID: fileID, line: line) }

    /// The future that it completes.
    public var future: TypedFuture<T, Failure> { TypedFuture(promise.future) }

    /// Completes the future with a value.
    public func success(_ value: T) { promise.success(value) }

    /// Completes the future with an error.
    public func failure(_ error: Failure) { promise.failure(erased(error)) }

    /// Completes the future with a result.
    public func complete(_ result: Result<T, Failure>) { promise.complete(Try(result)) }

    /// Completes the future like another one.
    public func completeWith(_ future: TypedFuture<T, Failure>) { promise.completeWith(future: future.future) }

    /// Completes the future with a result.
    ///
    /// Returns false if it is already completed or canceled.
    @discardableResult
    public func tryComplete(_ result: Result<T, Failure>) -> Bool { promise.tryComplete(Try(result)) }

    /// Completes the future with a value.
    ///
    /// Returns false if it is already completed or canceled.
    @discardableResult
    public func trySuccess(_ value: T) -> Bool { promise.trySuccess(value) }

    /// Completes the future with an error.
    ///
    /// Returns false if it is already completed or canceled.
    @discardableResult
    public func tryFailure(_ error: Failure) -> Bool { promise.tryFailure(erased(error)) }
}

extension TypedPromise where T == Void {
    /// Completes the future.
    public func success() { success(()) }

    /// Completes the future.
    ///
    /// Returns false if it is already completed or canceled.
    @discardableResult
    public func trySuccess() -> Bool { trySuccess(()) }
}
