public import SimpleFutures

/// A future with a type for its errors.
///
///     // func login(_ name: String) -> TypedFuture<User, LoginError>
///
///     do {
///         show(try await login("ada").value)
///     } catch {                                   // a Stopped<LoginError>
///         switch error {
///         case .failed(let loginError): show(loginError)
///         case .cancelled: break
///         case .timedOut, .broken, .other: show("Try again.")
///         }
///     }
///
/// In a closure, such as that of a `Task`, the compiler infers no type for `error`: write
/// `do throws(Stopped<LoginError>)` there.
///
/// It is a view of an untyped ``future``, as large as a reference to it. `value`, `result` and callbacks have the type:
/// `Failure` if that is ``FailureConvertible``, otherwise ``Stopped`` of it. They convert errors of other types:
/// cancellations, timeouts, broken promises, and errors that a combinator's closure threw.
@frozen public struct TypedFuture<T: Sendable, Failure: Error>: Sendable {
    /// The same future without a type for its errors.
    public let future: Future<T>

    @inlinable
    init(_ future: Future<T>) { self.future = future }

    /// Creates a future that has succeeded.
    public init(value: T) { self.init(Future(value: value)) }

    /// Creates a future that has failed.
    public init(error: Failure) { self.init(Future(error: erased(error))) }

    /// Creates a future that has a result.
    public init(result: Result<T, Failure>) { self.init(Future { complete in complete(Try(result)) }) }

    /// Creates a future from a method with a completion handler.
    ///
    ///     func login(_ name: String) -> TypedFuture<User, LoginError> {
    ///         TypedFuture { client.login(name, completion: $0) }
    ///     }
    ///
    /// If the method releases its completion handler without calling it, the future fails with a broken promise.
    ///
    /// - Parameters:
    ///   - method: Runs once, before this returns. If it throws, the future fails.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public init(
        method: (@escaping @Sendable (Result<T, Failure>) -> Void) throws -> Void, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(SimpleFutures.future(method: method, fileID: fileID, line: line))
    }

    /// Creates a future from an asynchronous closure.
    ///
    ///     let user = TypedFuture<User, LoginError> { try await network.login("ada") }
    ///
    /// The closure can throw any error. Errors that are not a `Failure` are converted when you await the future.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. The future is completed with the closure's result; if the closure has not
    ///     begun, it does not run, and the future fails with `CancellationError`.
    ///   - operation: Runs once, on the caller's actor if it uses that.
    public init(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
    ) {
        self.init(Future(name: name, priority: priority, cancelToken: cancelToken, operation: operation))
    }
}

extension TypedFuture {
    /// The value, when it is there.
    ///
    /// It waits like the `value` of an untyped future.
    ///
    /// - Throws: The reason why there is no value.
    @_disfavoredOverload @inlinable
    public var value: T {
        get async throws(Stopped<Failure>) {
            // Not by calling `value(throwing:)`: another asynchronous call takes 5 % more instructions.
            if future.phase == .pending { await future.settled() }
            return try future.resultAfterWaiting(throwing: Stopped<Failure>.self)
        }
    }

    /// Returns the value when it is there; if the task is canceled first, cancels a token.
    ///
    /// - Parameters:
    ///   - token: The token to cancel: usually the token that stops the work.
    ///   - response: Whether to keep waiting for the producer's own result, or to throw at once.
    /// - Throws: The reason why there is no value.
    @_disfavoredOverload
    nonisolated(nonsending) public func value(
        cancelling token: CancelToken, onCancel response: TaskCancellationResponse = .wait
    ) async throws(Stopped<Failure>) -> T {
        try await future.value(throwing: Stopped<Failure>.self, cancelling: token, onCancel: response)
    }

    /// The result, when it is there.
    @_disfavoredOverload @inlinable
    public var result: Result<T, Stopped<Failure>> {
        get async { await future.result(throwing: Stopped<Failure>.self) }
    }
}

extension TypedFuture where Failure: FailureConvertible {
    /// The value, when it is there.
    ///
    /// It waits like the `value` of an untyped future.
    ///
    /// - Throws: The future's error. Cancellations, timeouts and other errors are converted by `Failure(other:)`.
    @inlinable
    public var value: T {
        get async throws(Failure) {
            if future.phase == .pending { await future.settled() }
            return try future.resultAfterWaiting(throwing: Failure.self)
        }
    }

    /// Returns the value when it is there; if the task is canceled first, cancels a token.
    ///
    /// - Parameters:
    ///   - token: The token to cancel: usually the token that stops the work.
    ///   - response: Whether to keep waiting for the producer's own result, or to throw at once.
    /// - Throws: The future's error. Cancellations, timeouts and other errors are converted by `Failure(other:)`.
    nonisolated(nonsending) public func value(
        cancelling token: CancelToken, onCancel response: TaskCancellationResponse = .wait
    ) async throws(Failure) -> T {
        try await future.value(throwing: Failure.self, cancelling: token, onCancel: response)
    }

    /// The result, when it is there.
    @inlinable
    public var result: Result<T, Failure> {
        get async { await future.result(throwing: Failure.self) }
    }
}

extension TypedFuture where Failure == Never {
    /// The value, when it is there.
    ///
    /// The future has no errors of its own, but awaiting it can be canceled, time out, or find a broken promise.
    ///
    /// - Throws: The reason why there is no value. For a value in its place see ``value(or:)``.
    @inlinable
    public var value: T {
        // Declared here too, because the general property is disfavored, even compared with the function `value(or:)`.
        get async throws(Stopped<Never>) {
            if future.phase == .pending { await future.settled() }
            return try future.resultAfterWaiting(throwing: Stopped<Never>.self)
        }
    }

    /// Returns the value when it is there, or another value after a cancellation, a timeout or any other error.
    ///
    /// - Parameter other: The other value. It is evaluated only if it is needed.
    nonisolated(nonsending) public func value(or other: @autoclosure () -> T) async -> T {
        await future.outcome.value ?? other()
    }
}

extension TypedFuture {
    /// Starts an operation repeatedly until one attempt succeeds.
    ///
    ///     let user = TypedFuture<User, LoginError>.retry(3, delay: .seconds(1)) { login("ada") }
    ///
    /// For the rest see ``retry(_:backoff:context:cancelToken:fileID:line:while:_:)``.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts, at least 1.
    ///   - delay: How long to wait after a failure. Zero or less means not at all.
    ///   - context: Runs the closures and the timers. With a `ManualContext`, waiting takes no real time.
    ///   - cancelToken: When canceled, stops the attempts and cancels the future.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Whether to try again after an error of this type. An error of another type, such as a timeout, is
    ///     converted first if `Failure` is ``FailureConvertible``; otherwise it ends the attempts. By default every error
    ///     leads to another attempt.
    ///   - make: Starts an attempt.
    public static func retry(
        _ attempts: Int, delay: Duration = .zero, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: (@Sendable (Failure) -> Bool)? = nil,
        _ make: @escaping @Sendable () throws -> Self
    ) -> Self {
        retry(
            attempts, backoff: .constant(delay), context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, make)
    }
}
