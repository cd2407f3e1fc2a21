/// The producer behind a closure that is called repeatedly: the stream stays open as long as a reference to the closure
/// exists.
@usableFromInline
final class StreamBlock<T: Sendable>: Sendable {
    @usableFromInline let core: StreamCore

    /// Takes over as the producer that a new stream starts with.
    @usableFromInline
    init(of stream: FutureStream<T>) { core = stream.core }

    deinit { core.loseProducer() }

    @inlinable
    func emit(_ result: Try<T>) { core.emit(result) }

    /// Finishes the stream.
    ///
    /// An error, if there is one, is the last element.
    @inlinable
    func finish(_ error: (any Error)?) {
        if let error { emit(.failure(error)) }
        core.finish()
    }

    /// Emits the error if there is one, else the value.
    ///
    /// With neither, emits `invalidCompletion`.
    @inlinable
    func emit(_ value: T?, _ error: (any Error)?) {
        if let error {
            emit(.failure(error))
        } else if let value {
            emit(.success(value))
        } else {
            core.emitNeither()
        }
    }
}
