/// The writing end of a future.
///
///     func load(_ id: Int) -> Future<Profile> {
///         let promise = Promise<Profile>()
///         client.load(id) { profile in promise.success(profile) }
///         return promise.future
///     }
///
/// In main-actor code, mark the inner closure if the method that takes it does not ask for a `@Sendable` one, or pass
/// `promise.success` itself: otherwise the closure is the main actor's, and traps on other threads.
///
/// The future is completed once; later completions change nothing and are reported to ``FuturesDiagnostics`` together
/// with the place where the promise was made. If the promise is released before it is completed, the future fails with
/// ``FuturesError/brokenPromise(createdAt:)``, so that nobody waits for ever.
///
/// All members may be called from any thread and from inside any callback.
@preconcurrency
public final class Promise<T: Sendable>: Sendable {
    /// The reading end.
    public let future: Future<T>

    @usableFromInline let site: CreationSite

    /// Creates a promise with a pending future.
    ///
    /// - Parameters:
    ///   - fileID: Where it is made, for reports.
    ///   - line: Where it is made, for reports.
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

    // The promise holds its future for as long as these two calls take, so they need not retain it.

    deinit { Unmanaged.passUnretained(future)._withUnsafeGuaranteedRef { $0.loseProducer(createdAt: site) } }

    /// Whether the future has a result.
    public var completed: Bool { future.completed }

    /// Completes the future with a result.
    ///
    /// The first completion wins; a later one changes nothing and is reported.
    @preconcurrency @inlinable
    public func complete(_ result: Try<T>) {
        if Unmanaged.passUnretained(future)._withUnsafeGuaranteedRef({ $0.settle(result) }) == .completedBefore {
            reportCompletedTwice()
        }
    }

    @usableFromInline
    func reportCompletedTwice() { FuturesDiagnostics.report(.completedTwice(createdAt: site)) }

    /// Completes the future with a value, as ``complete(_:)`` does.
    @preconcurrency @inlinable
    public func success(_ value: T) { complete(.success(value)) }

    /// Completes the future with an error, as ``complete(_:)`` does.
    @inlinable
    public func failure(_ error: any Error) { complete(.failure(error)) }

    /// Completes the future with a result, unless it is completed.
    ///
    /// Returns whether it did.
    @inlinable @discardableResult
    public func tryComplete(_ result: Try<T>) -> Bool { future.tryComplete(result) }

    /// Completes the future with a value, unless it is completed.
    ///
    /// Returns whether it did.
    @inlinable @discardableResult
    public func trySuccess(_ value: T) -> Bool { future.trySuccess(value) }

    /// Completes the future with an error, unless it is completed.
    ///
    /// Returns whether it did.
    @inlinable @discardableResult
    public func tryFailure(_ error: any Error) -> Bool { future.tryFailure(error) }

    /// Completes the future as another one completes, unless something else is first.
    ///
    /// The promise may be released meanwhile. See ``Future/completeWith(context:future:)-(_,Future<T>)``.
    ///
    /// - Parameters:
    ///   - context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    ///   - future: The future whose result to take over.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        guard future !== self.future else { return future.completeWithItself(createdAt: site) }
        self.future.completeWith(context: context, future: future)
    }

    /// Completes the future as another one completes, or with the error if there is none.
    ///
    /// - Parameters:
    ///   - context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    ///   - future: The future whose result to take over, or why there is none.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        switch future {
        case .success(let future): completeWith(context: context, future: future)
        case .failure(let error): complete(.failure(error))
        }
    }
}

extension Promise where T == Void {
    /// Completes the future without a value to tell.
    @inlinable
    public func success() { success(()) }

    /// Completes the future, unless it is completed.
    ///
    /// Returns whether it did.
    @inlinable @discardableResult
    public func trySuccess() -> Bool { trySuccess(()) }
}

extension Promise: CustomDebugStringConvertible {
    /// The place where it was made, and the state of its future.
    public var debugDescription: String { "Promise(\(future.debugDescription), createdAt: \(site))" }
}
