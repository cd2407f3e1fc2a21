/// Completes a future.
///
///     func count() -> Future<Int> {
///         let promise = Promise<Int>()
///         client.count { count in promise.success(count) }
///         return promise.future
///     }
///
/// In main-actor code, mark the inner closure `@Sendable` unless the method that takes it expects that, or pass
/// `promise.success` itself. Otherwise the closure is isolated to the main actor and traps on other threads.
///
/// The first completion counts. Later ones have no effect; ``FuturesDiagnostics`` reports them, with the place where
/// the promise was created. If you release the promise without completing it, the future fails with
/// ``FuturesError/brokenPromise(createdAt:)``, so that an await does not wait forever.
///
/// All members may be called from any thread and in any callback.
@preconcurrency
public final class Promise<T: Sendable>: Sendable {
    /// The future that the promise completes.
    public let future: Future<T>

    @usableFromInline let site: CreationSite

    /// Creates a promise with a pending future.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @inlinable
    public convenience init(fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(createdAt: CreationSite(fileID: fileID, line: line))
    }

    @usableFromInline
    init(createdAt site: CreationSite) {
        future = Future()
        self.site = site
        Census.note(self)
    }

    // The promise holds its future while these two calls run, so they need not retain it.

    deinit { Unretained(future).use { $0.loseProducer(createdAt: site) } }

    /// Whether the future has a result.
    public var completed: Bool { future.completed }

    /// Completes the future with a result.
    ///
    /// The first completion counts. Later completions have no effect and are reported.
    @preconcurrency @inlinable
    public func complete(_ result: Try<T>) {
        if Unretained(future).use({ $0.settle(result) }) == .completedBefore {
            reportCompletedTwice()
        }
    }

    @usableFromInline
    func reportCompletedTwice() { FuturesDiagnostics.report(.completedTwice(createdAt: site)) }

    /// Completes the future with a value, like ``complete(_:)``.
    @preconcurrency @inlinable
    public func success(_ value: T) { complete(.success(value)) }

    /// Completes the future with an error, like ``complete(_:)``.
    @inlinable
    public func failure(_ error: any Error) { complete(.failure(error)) }

    /// Completes the future with a result, unless it is completed.
    ///
    /// Returns whether this call completed it.
    @_disfavoredOverload @inlinable @discardableResult
    public func tryComplete(_ result: Try<T>) -> Bool { future.tryComplete(result) }

    /// Completes the future with a value, unless it is completed.
    ///
    /// Returns whether this call completed it.
    @_disfavoredOverload @inlinable @discardableResult
    public func trySuccess(_ value: T) -> Bool { future.trySuccess(value) }

    /// Completes the future with an error, unless it is completed.
    ///
    /// Returns whether this call completed it.
    @_disfavoredOverload @inlinable @discardableResult
    public func tryFailure(_ error: any Error) -> Bool { future.tryFailure(error) }

    /// Completes the future with the result of another future, unless it is completed earlier.
    ///
    /// You can release the promise. See ``Future/completeWith(context:future:)-(_,Future<T>)``.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The other future.
    @preconcurrency @inlinable
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        guard future !== self.future else { return future.completeWithItself(createdAt: site) }
        self.future.completeWith(context: context, future: future)
    }

    // Disfavored, so that `promise.completeWith(context:future:)` without a call is the declaration of 0.2.

    /// Completes the future with the result of another future, or with an error.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The other future, or the error.
    @preconcurrency @_disfavoredOverload
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        switch future {
        case .success(let future): completeWith(context: context, future: future)
        case .failure(let error): complete(.failure(error))
        }
    }
}

extension Promise where T == Void {
    /// Completes the future.
    @inlinable
    public func success() { success(()) }

    /// Completes the future, unless it is completed.
    ///
    /// Returns whether this call completed it.
    @_disfavoredOverload @inlinable @discardableResult
    public func trySuccess() -> Bool { trySuccess(()) }
}

extension Promise: CustomDebugStringConvertible {
    /// The place where the promise was created, and the state of its future.
    public var debugDescription: String { "Promise(\(future.debugDescription), createdAt: \(site))" }
}
