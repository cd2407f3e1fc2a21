/// The implementation of a completion handler passed to wrapped methods.
///
/// The future can be completed as long as a reference to the handler exists. Package hook.
@usableFromInline @frozen
package struct CompletionBlock<T: Sendable>: Sendable {
    @usableFromInline let producer: BlockProducer

    /// Takes over as the producer that a new future starts with.
    ///
    /// - Parameter isStopped: For a call that can be stopped. After a stop, a completion without value and error, or the
    ///   release of the handler, is not a mistake.
    @inlinable
    package init(of future: Future<T>, createdAt site: CreationSite, isStopped: (@Sendable () -> Bool)? = nil) {
        producer = BlockProducer(of: future, createdAt: site, isStopped: isStopped)
    }

    @inlinable
    package func complete(_ result: Try<T>) {
        if producer.future.future(of: T.self).settle(result) == .completedBefore {
            producer.reportSecondCall()
        }
    }

    @usableFromInline
    package func close(with error: any Error) { producer.close(with: error) }

    /// Completes with the error if there is one, else with the value.
    ///
    /// With neither, the completion is invalid.
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

/// The producer behind a completion handler.
///
/// It is not generic over the value, so that its `deinit` is compiled only once.
@usableFromInline
final class BlockProducer: _LockedObject, @unchecked Sendable {
    // Sendable: everything is constant except for the status byte.

    @usableFromInline let future: AnyFuture
    /// Whether the call was stopped, so that no result is expected any more.
    private let isStopped: (@Sendable () -> Bool)?
    private let site: CreationSite
    // The status byte is 1 after the method has thrown, until the handler is called: one call is not a mistake then.

    @usableFromInline
    init(of future: AnyFuture, createdAt site: CreationSite, isStopped: (@Sendable () -> Bool)?) {
        self.future = future
        self.isStopped = isStopped
        self.site = site
        super.init()
        Census.note(self)
    }

    var headline: String { "which the completion handler made at \(site) completes" }

    // A stopped call may never call its handler. Its release is not a broken promise then.
    deinit { if isStopped?() != true { future.loseProducer(createdAt: site) } }

    @usableFromInline
    func reportSecondCall() {
        if status == 0 { FuturesDiagnostics.report(.blockCalledTwice(createdAt: site)) } else { publish(0) }
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
        if future.fail(error) == .completedBefore { publish(0) }
    }
}

/// The first error that was passed for an optional error of any type.
///
/// Values of other types don't count, even if they are errors. Package hook.
package func firstError<each Value>(in value: repeat each Value) -> (any Error)? {
    for case let error? in repeat errorItself(each value) { return error }
    return nil
}

private func errorItself<Value>(_ value: Value) -> (any Error)? {
    Value.self is any OptionalError.Type ? value as? any Error : nil
}

private protocol OptionalError {}
extension Optional: OptionalError where Wrapped: Error {}
