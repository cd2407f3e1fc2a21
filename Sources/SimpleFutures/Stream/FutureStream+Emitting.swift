extension FutureStream {
    /// Emits an element, a value or an error.
    ///
    /// After the stream has finished, it has no effect and is reported to ``FuturesDiagnostics``; on a canceled stream
    /// it has no effect and is not reported.
    @preconcurrency @inlinable
    public func complete(_ result: Try<T>) { core.emit(result) }

    /// Emits a value, as ``complete(_:)`` does.
    @preconcurrency @inlinable
    public func success(_ value: T) { core.emit(.success(value)) }

    /// Emits an error, as ``complete(_:)`` does.
    ///
    /// The stream continues.
    public func failure(_ error: any Error) { core.report(core.emit(error: error)) }

    /// Ends the stream: there will be no more elements.
    ///
    /// Earlier elements are delivered first. A second call has no effect.
    public func finish() { core.finish() }
}

extension FutureStream where T == Void {
    /// Emits an element.
    @inlinable
    public func success() { success(()) }
}

extension StreamCore {
    /// Emits an element, and reports it if the stream has finished.
    @inlinable
    func emit<T: Sendable>(_ result: Try<T>) {
        switch result {
        case .success(let value): report(emit { Payload.initialize($0, to: value) })
        case .failure(let error): report(emit(error: error))
        }
    }

    @usableFromInline
    package func report(_ emission: Emission) {
        if emission == .finishedBefore { FuturesDiagnostics.report(.emittedAfterFinish(createdAt: site)) }
    }

    @usableFromInline
    func completeWithItself() { emitInvalidCompletion { .completedWithItself(createdAt: $0) } }

    @usableFromInline
    func emitNeither() { emitInvalidCompletion { .blockCalledWithNeither(createdAt: $0) } }

    /// Emits `invalidCompletion`, and reports the mistake, or that the stream has already finished.
    func emitInvalidCompletion(_ mistake: (CreationSite?) -> FuturesDiagnostic) {
        let emission = emit(error: FuturesError.invalidCompletion)
        if emission == .accepted { FuturesDiagnostics.report(mistake(site)) }
        report(emission)
    }

    /// Emits an element of a derived stream.
    ///
    /// Elements after the end are expected then, and not reported.
    @inlinable
    package func pass<T: Sendable>(_ result: Try<T>) {
        switch result {
        case .success(let value): _ = emit { Payload.initialize($0, to: value) }
        case .failure(let error): emit(error: error)
        }
    }

    /// Emits the value that a closure returns, or the error that it throws.
    @inlinable
    package func pass<T: Sendable>(_ make: () throws -> T) {
        do { pass(.success(try make())) } catch { emit(error: error) }
    }
}
