public import SimpleFutures

// Inlinable, so that the compiler specializes what depends on the value's type in the user's module: otherwise a call
// takes 1.4 times the instructions (row 11 of the benchmarks). The future's type is always the same, so its code is
// specialized here.

/// The way of a value from a completion handler to its receiver.
@usableFromInline @frozen
struct Handoff<T>: Sendable {
    /// Is completed with a `Lock<T?>`.
    @usableFromInline let block: CompletionBlock<_LockedObject>

    @inlinable
    init(_ block: CompletionBlock<_LockedObject>) { self.block = block }

    @inlinable
    func complete(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { block.complete(.success(Lock<T?>(value))) } else { block.complete(nil, error) }
    }

    @inlinable
    func complete(_ result: Result<T, some Error>) {
        switch result {
        case .success(let value): complete(value, nil)
        case .failure(let error): complete(nil, erased(error))
        }
    }
}

/// Calls a method, and waits for the value that its completion handler gets.
@inlinable
nonisolated(nonsending) func received<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) async throws -> sending T {
    guard !Task.isCancelled else { throw taskCancellation() }
    // Without anything to cancel no token is needed, which halves the time (row 11 of the benchmarks).
    let parcel =
        if Call.self == Void.self {
            try await called(fileID, line) { _ = try method(Handoff($0)) }.value
        } else {
            try await handedOver(fileID, line) { try method(Handoff($0)) as? any CancellableHandle }
        }
    // Both are there: a handoff makes only such parcels, and this is the value's only receiver.
    return (parcel as? Lock<T?>).unsafelyUnwrapped.exchange(nil).unsafelyUnwrapped
}

/// For methods that may return a handle: cancels that if the wait ends early.
@usableFromInline
nonisolated(nonsending) func handedOver(
    _ fileID: StaticString, _ line: UInt,
    _ method: (CompletionBlock<_LockedObject>) throws -> (any CancellableHandle)?
) async throws -> _LockedObject {
    let handle = CallHandle()
    let future = called(fileID, line, isStopped: { handle.isCancelled }) { handle.started(try method($0)) }
    if future.phase == .pending, await !future.settled(cancelling: handle) { throw taskCancellation() }
    handle.end()
    return try future.resultAfterWaiting()
}

/// A separate function, so that the handler is released before the wait.
@usableFromInline
func called(
    _ fileID: StaticString, _ line: UInt, isStopped: (@Sendable () -> Bool)? = nil,
    _ method: (CompletionBlock<_LockedObject>) throws -> Void
) -> Future<_LockedObject> {
    let future = Future<_LockedObject>()
    let block = CompletionBlock(
        of: future, createdAt: CreationSite(fileID: fileID, line: line), isStopped: isStopped)
    do { try method(block) } catch { block.close(with: error) }
    return future
}
