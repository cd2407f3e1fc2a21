/// The producer behind a closure that is called repeatedly: the stream stays open as long as a reference to the closure
/// exists.
final class StreamBlock<T: Sendable>: Sendable {
    private let core: StreamCore

    /// Takes over as the producer that a new stream starts with.
    init(of stream: FutureStream<T>) { core = stream.core }

    deinit { core.loseProducer() }

    func emit(_ result: Try<T>) { core.emit(result) }

    /// Finishes the stream.
    ///
    /// An error, if there is one, is the last element.
    func finish(_ error: (any Error)?) {
        if let error { emit(.failure(error)) }
        core.finish()
    }

    /// Emits the error if there is one, else the value.
    ///
    /// With neither, emits `invalidCompletion`.
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
