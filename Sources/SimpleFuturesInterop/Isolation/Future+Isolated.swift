public import SimpleFutures

// Closures on the caller's actor that run several times, for one future.

extension Future {
    /// Starts an operation on the caller's actor repeatedly until one attempt succeeds.
    ///
    ///     let page = Future.retry(3, delay: .seconds(1), isolated: { self.load(self.urls[0]) })    // on the main actor
    ///
    /// An attempt fails when its future fails or the closure throws. After the last attempt, or when `while:` returns
    /// false, the result fails with that error. A canceled attempt cancels the result. Only one attempt runs at a time.
    /// Dropping the result does not stop the attempts; the token does. Outside an actor the closure runs on
    /// `QueueContext.futuresDefault`.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. It must be positive.
    ///   - delay: How long to wait after a failure. Zero or less means not at all.
    ///   - cancelToken: Cancels the result: no further attempt begins, and the timer is freed. The current attempt
    ///     continues, unless it uses the token too.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Called on the actor's executor with the error of each failed attempt except the last. False
    ///     ends the attempts.
    ///   - make: Starts an attempt, the first one after this call returns. If it throws, the attempt has failed.
    @_disfavoredOverload
    public static func retry(
        _ attempts: Int, delay: Duration = .zero, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line, while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        @_inheritActorContext(always) isolated make: @escaping @isolated(any) @Sendable () throws -> Future<T>
    ) -> Future<T> {
        retry(
            attempts, delay: delay, context: IsolatedCallback.context(of: make.isolation), cancelToken: cancelToken,
            fileID: fileID, line: line, while: shouldRetry, IsolatedCallback.bare(make))
    }

    /// Starts an operation on the caller's actor repeatedly until one attempt succeeds, with increasing delays.
    ///
    /// See ``retry(_:delay:cancelToken:fileID:line:while:isolated:)``.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. It must be positive.
    ///   - backoff: Decides how long to wait after each failure.
    ///   - cancelToken: Cancels the result: no further attempt begins, and the timer is freed. The current attempt
    ///     continues, unless it uses the token too.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Called on the actor's executor with the error of each failed attempt except the last. False
    ///     ends the attempts.
    ///   - make: Starts an attempt, the first one after this call returns. If it throws, the attempt has failed.
    @_disfavoredOverload
    public static func retry(
        _ attempts: Int, backoff: Backoff, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line, while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        @_inheritActorContext(always) isolated make: @escaping @isolated(any) @Sendable () throws -> Future<T>
    ) -> Future<T> {
        retry(
            attempts, backoff: backoff, context: IsolatedCallback.context(of: make.isolation), cancelToken: cancelToken,
            fileID: fileID, line: line, while: shouldRetry, IsolatedCallback.bare(make))
    }
}

extension FutureStream {
    /// Returns a future that combines all values with a closure, run on the caller's actor.
    ///
    ///     let mine = messages.reduce(0, isolated: { $0 + ($1.sender == self.user ? 1 : 0) })    // on the main actor
    ///
    /// The future is completed when the stream finishes. The first failure fails it and unsubscribes from the stream; a
    /// canceled stream cancels it. It also unsubscribes, and calls the closure no more, when it has no waiters and is
    /// released. Outside an actor the closure runs on `QueueContext.futuresDefault`.
    ///
    /// - Parameters:
    ///   - initial: The value to combine with the first value, and the result if there are no values.
    ///   - cancelToken: Cancels the closure and the future.
    ///   - combine: Runs once per value. If it throws, the future fails.
    @_disfavoredOverload
    public func reduce<R: Sendable>(
        _ initial: R, cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated combine: @escaping @isolated(any) @Sendable (R, T) throws -> R
    ) -> Future<R> {
        reduce(
            initial, context: IsolatedCallback.context(of: combine.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(combine))
    }

    /// Returns a future that combines all values with a closure, run on the caller's actor, that changes the result in
    /// place.
    ///
    ///     let rows = messages.reduce(into: [], isolated: { $0.append(self.row(for: $1)) })    // on the main actor
    ///
    /// Like ``reduce(_:cancelToken:isolated:)``, for a result that is expensive to copy, such as an array or a
    /// dictionary.
    ///
    /// - Parameters:
    ///   - initial: The value to change first, and the result if there are no values.
    ///   - cancelToken: Cancels the closure and the future.
    ///   - update: Runs once per value, and changes the result. If it throws, the future fails.
    @_disfavoredOverload
    public func reduce<R: Sendable>(
        into initial: R, cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated update: @escaping @isolated(any) @Sendable (inout R, T) throws -> Void
    ) -> Future<R> {
        reduce(
            into: initial, context: IsolatedCallback.context(of: update.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(update))
    }
}

extension Sequence where Element: Sendable {
    /// Calls a closure on the caller's actor for each element, with a limited number of the returned futures pending at
    /// a time, and returns a future of all their values.
    ///
    ///     let pages = urls.traverse(maxConcurrent: 4, isolated: { self.load($0) })    // on the main actor
    ///
    /// As soon as one future has succeeded, the closure is called with the next element, even if the result is released.
    /// Values are in the order of the elements. The first failure or cancellation ends the result at once, and the
    /// closure is not called any more. Without a limit use `traverse(mapping:)`, which calls its closure at once.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of futures pending at a time. It must be positive.
    ///   - cancelToken: When canceled, cancels the result, and the closure is not called any more. The closure can pass
    ///     it to its futures too, which go on otherwise.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - mapping: Called with the elements in order, the first time after this call returns. If it throws, the result
    ///     fails.
    @_disfavoredOverload
    public func traverse<M: Sendable>(
        maxConcurrent: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (Element) throws -> Future<M>
    ) -> Future<[M]> {
        traverse(
            maxConcurrent: maxConcurrent, context: IsolatedCallback.context(of: mapping.isolation),
            cancelToken: cancelToken, fileID: fileID, line: line, mapping: IsolatedCallback.bare(mapping))
    }
}

extension Sequence where Element: Futurable {
    /// Returns a future of the first value in time for which a closure, run on the caller's actor, returns true.
    ///
    ///     let mine = [1, 2].map { client.profile($0) }.find(isolated: { $0.name == self.name })    // on the main actor
    ///
    /// Failures and canceled inputs are ignored. If the closure returns true for none of the values, or there are no
    /// inputs, the result fails with `FuturesError.noSuchElement`. If all are canceled, so is the result. Outside an
    /// actor the closure runs on `QueueContext.futuresDefault`.
    ///
    /// - Parameter isWanted: Called with each value as it arrives, until it returns true. If it throws, the result
    ///   fails.
    @_disfavoredOverload
    public func find(
        @_inheritActorContext(always) isolated isWanted: @escaping @isolated(any) @Sendable (Element.T) throws -> Bool
    ) -> Future<Element.T> {
        find(context: IsolatedCallback.context(of: isWanted.isolation), where: IsolatedCallback.bare(isWanted))
    }
}
