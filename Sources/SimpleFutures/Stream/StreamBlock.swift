/// The producer of a closure that was handed out to be called again and again: as long as somebody holds the closure,
/// the stream goes on.
final class StreamBlock<T: Sendable>: Sendable {
    private let core: StreamCore

    /// The closure takes the part of the producer that a new stream comes with.
    init(of stream: FutureStream<T>) { core = stream.core }

    deinit { core.loseProducer() }

    func emit(_ result: Try<T>) { core.emit(result) }

    /// The end, with an error as the last element, if there is one.
    func finish(_ error: (any Error)?) {
        if let error { emit(.failure(error)) }
        core.finish()
    }

    /// Error and value: the error wins.
    ///
    /// Neither: an invalid completion.
    func emit(_ value: T?, _ error: (any Error)?) {
        if let error {
            emit(.failure(error))
        } else if let value {
            emit(.success(value))
        } else {
            core.emitInvalidCompletion { .blockCalledWithNeither(createdAt: $0) }
        }
    }
}
