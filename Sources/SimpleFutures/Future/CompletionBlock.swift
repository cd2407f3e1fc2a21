/// What a block does that was handed out: as long as somebody holds the block, the future can be completed.
///
/// Package hook.
@usableFromInline @frozen
package struct CompletionBlock<T: Sendable>: Sendable {
    @usableFromInline let producer: BlockProducer

    /// The block takes the part of the producer that a new future comes with.
    @inlinable
    package init(of future: Future<T>, createdAt site: CreationSite) {
        producer = BlockProducer(of: future, createdAt: site, isStopped: nil)
    }

    /// The same for a call that can be stopped: then an answer with nothing in it is no mistake.
    package init(of future: Future<T>, createdAt site: CreationSite, isStopped: @escaping @Sendable () -> Bool) {
        producer = BlockProducer(of: future, createdAt: site, isStopped: isStopped)
    }

    @inlinable
    package func complete(_ result: Try<T>) {
        if unsafeDowncast(producer.future, to: Future<T>.self).settle(result) == .completedBefore {
            producer.reportSecondCall()
        }
    }

    @usableFromInline
    package func close(with error: any Error) { producer.close(with: error) }

    /// Error and value: the error wins.
    ///
    /// Neither: an invalid completion.
    @inlinable
    package func complete(_ value: T?, _ error: (any Error)?) {
        if let error {
            complete(.failure(error))
        } else if let value {
            complete(.success(value))
        } else {
            producer.completeWithNeither()
        }
    }
}

/// The producer of a completion handler.
///
/// It knows nothing of the value, so that its end is compiled once and not for every type.
@usableFromInline
final class BlockProducer: _LockedObject, @unchecked Sendable {
    // Sendable, because all is constant but the byte.

    @usableFromInline let future: AnyFuture
    /// Whether nobody wants an answer any more.
    private let isStopped: (@Sendable () -> Bool)?
    private let site: CreationSite
    // Its byte: whether the method has thrown. Then the block may still be called, once, and that is no mistake.

    @usableFromInline
    init(of future: AnyFuture, createdAt site: CreationSite, isStopped: (@Sendable () -> Bool)?) {
        self.future = future
        self.isStopped = isStopped
        self.site = site
        super.init()
        Census.note(self)
    }

    var headline: String { "which the completion handler made at \(site) completes" }

    deinit { future.loseProducer(createdAt: site) }

    @usableFromInline
    func reportSecondCall() {
        if status == 0 { FuturesDiagnostics.report(.blockCalledTwice(createdAt: site)) }
    }

    @usableFromInline
    func completeWithNeither() {
        switch future.fail(FuturesError.invalidCompletion) {
        case .accepted where isStopped?() == true: break
        case .accepted: FuturesDiagnostics.report(.blockCalledWithNeither(createdAt: site))
        case .completedBefore: reportSecondCall()
        case .cancelledBefore: break
        }
    }

    func close(with error: any Error) {
        publish(1)
        _ = future.fail(error)
    }
}
