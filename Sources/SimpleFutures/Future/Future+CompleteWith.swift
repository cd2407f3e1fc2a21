extension Future {
    /// Creates a future that completes as another one does.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - dependent: The future whose result this one takes over. If it is canceled, so is this one.
    @preconcurrency
    public convenience init(
        context: any ExecutionContext = QueueContext.futuresDefault, dependent: Future<T>
    ) {
        self.init()
        dependent.lead(to: self, under: .none)
    }

    /// Completes this future as another one completes, unless something else is first.
    ///
    /// The other future becomes one more producer: if it is released without a result, this future goes on waiting for
    /// the others, and is broken if there is none. If it is canceled, this future is canceled. Once this future is
    /// completed, the link to the other is removed.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to take over. A future that is told to complete with itself fails with
    ///     ``FuturesError/invalidCompletion``. Futures that are told to complete with each other all end as the first
    ///     of them does; until then they keep each other, and none is broken.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        guard gainProducer() else { return }
        // A token of its own cuts the link when this future has ended otherwise. Links under a token do not keep what
        // they lead from.
        let link = CancelToken()
        future.lead(to: self, under: link)
        observe(.plumbing) { _, _ in link.cancel() }
    }

    /// Completes this future as another one completes, or with the error if there is none.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to take over, or why there is none.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        switch future {
        case .success(let future): completeWith(future: future)
        case .failure(let error): complete(.failure(error))
        }
    }
}
