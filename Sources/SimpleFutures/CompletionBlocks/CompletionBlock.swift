/// The producer behind a block that was handed out: as long as somebody holds the block, the future can be completed.
final class CompletionBlock<T: Sendable>: Sendable {
    private let future: Future<T>
    private let site: CreationSite

    /// The block takes the part of the producer that a new future comes with.
    init(of future: Future<T>, createdAt site: CreationSite) {
        self.future = future
        self.site = site
    }

    deinit { future.loseProducer(createdAt: site) }

    func complete(_ result: Try<T>) {
        if future.settle(result) == .completedBefore { FuturesDiagnostics.report(.blockCalledTwice(createdAt: site)) }
    }

    /// Error and value: the error wins.
    ///
    /// Neither: an invalid completion.
    func complete(_ value: T?, _ error: (any Error)?) {
        if let error {
            complete(.failure(error))
        } else if let value {
            complete(.success(value))
        } else {
            complete(.failure(FuturesError.invalidCompletion))
        }
    }
}
