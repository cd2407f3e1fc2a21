extension Future {
    /// Runs a closure with the result, whether success or failure.
    ///
    /// Also runs if the future is already completed. Callbacks of one future reach a serial context in the order of
    /// their registration.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs once, or never if it is canceled with the token or the future is canceled. It is released
    ///     when it has run or can run no more.
    @preconcurrency @inlinable
    public func onComplete(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Try<T>) -> Void
    ) {
        observe(.completion, on: context, under: cancelToken) { source, _ in
            if let result = source.settledResult(as: T.self) { completion(result) }
        }
    }
}
