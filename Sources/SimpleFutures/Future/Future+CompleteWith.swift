extension Future {
    /// Creates a future that completes like another one.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - dependent: The future to take the result from. If it is canceled, so is this one.
    @preconcurrency @inlinable
    public convenience init(
        context: any ExecutionContext = QueueContext.futuresDefault, dependent: Future<T>
    ) {
        self.init()
        dependent.observe(.forwarding, leavingWith: self) { source, target in
            forward(source, to: target, as: T.self)
        }
    }

    /// Completes this future like another one, unless it is completed earlier.
    ///
    /// The other future becomes one more producer. If it is released without a result, this future keeps waiting for
    /// its other producers: the future of a promise fails as broken when the promise is released too, but one that you
    /// made with `Future()` waits for your own completion. If the other future is canceled, this one is canceled. Once
    /// this future is completed, the link to the other is removed; until then the other future keeps this one alive.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The future to take the result from. A future that is told to complete with itself fails with
    ///     ``FuturesError/invalidCompletion``. Futures that are told to complete with each other all end like the first
    ///     of them; until then they keep each other alive, and none is broken.
    @preconcurrency @inlinable
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        guard gainProducer() else { return }
        // A separate token removes the link when this future ends otherwise. It also keeps the link from holding its
        // source.
        let link = CancelToken()
        future.lead(to: self, under: link)
        observe(.plumbing) { _, _ in link.cancel() }
    }

    /// Completes this future like another one, or with an error.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The future to take the result from, or an error.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        switch future {
        case .success(let future): completeWith(future: future)
        case .failure(let error): complete(.failure(error))
        }
    }
}
