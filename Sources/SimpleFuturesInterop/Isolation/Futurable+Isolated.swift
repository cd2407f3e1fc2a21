public import SimpleFutures

extension Futurable {
    /// Runs a closure on the caller's actor with the value, if there comes one.
    ///
    ///     final class ProfileModel {                          // on the main actor
    ///         func load() { client.profile().onSuccess(isolated: { self.name = $0.name }) }
    ///     }
    ///
    /// The closure may use the actor's state as the code around it does. Where there is no actor it runs on
    /// `QueueContext.futuresDefault`.
    ///
    /// - Parameters:
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - completion: Runs once at the most; it is released when it has run or can run no more.
    @_disfavoredOverload
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) {
        onSuccess(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
    }

    /// Runs a closure on the caller's actor with the error, if there comes one.
    ///
    /// Cancellation by a token is no failure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - completion: Runs once at the most; it is released when it has run or can run no more.
    @_disfavoredOverload
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable (any Error) -> Void
    ) {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
    }

    /// Runs a closure on the caller's actor with the result.
    ///
    /// It does not run if the future is cancelled. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - completion: Runs once at the most; it is released when it has run or can run no more.
    @_disfavoredOverload
    public func onComplete(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable (Try<T>) -> Void
    ) {
        onComplete(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
    }
}

extension AnyFuture {
    /// Runs a closure on the caller's actor when this future is cancelled: by a token, or with the future it is derived
    /// from.
    ///
    /// - Parameter completion: Runs once. It is released without having run when the future is completed instead.
    @_disfavoredOverload
    public func onCancel(@_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable () -> Void) {
        onCancel(context: IsolatedCallback.context(of: completion.isolation), IsolatedCallback.bare(completion))
    }
}
