/// The producer behind a block that was handed out: as long as somebody holds the block, the future can be completed.
///
/// Package hook.
package final class CompletionBlock<T: Sendable>: Sendable {
    private let future: Future<T>
    private let site: CreationSite
    /// Whether the method has thrown: then the block may still be called, once, and that is no mistake.
    private let isClosed = Lock(false)

    /// The block takes the part of the producer that a new future comes with.
    package init(of future: Future<T>, createdAt site: CreationSite) {
        self.future = future
        self.site = site
    }

    deinit { future.loseProducer(createdAt: site) }

    package func complete(_ result: Try<T>) {
        guard future.settle(result) == .completedBefore, !isClosed.withLock({ $0 }) else { return }
        FuturesDiagnostics.report(.blockCalledTwice(createdAt: site))
    }

    package func close(with error: any Error) {
        isClosed.withLock { $0 = true }
        future.settle(.failure(error))
    }

    /// Error and value: the error wins.
    ///
    /// Neither: an invalid completion.
    package func complete(_ value: T?, _ error: (any Error)?) {
        if let error {
            complete(.failure(error))
        } else if let value {
            complete(.success(value))
        } else {
            complete(.failure(FuturesError.invalidCompletion))
        }
    }
}
