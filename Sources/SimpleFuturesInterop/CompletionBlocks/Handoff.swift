import SimpleFutures

/// The way of a value from a completion handler to its receiver.
///
/// The type of the future does not depend on the value's, so that the compiler specializes the code here: otherwise a
/// call takes 1.4 times the instructions (row 11 of the benchmarks).
struct Handoff<T>: Sendable {
    /// Is completed with a `Lock<T?>`.
    let block: CompletionBlock<_LockedObject>

    func complete(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { block.complete(.success(Lock<T?>(value))) } else { block.complete(nil, error) }
    }

    func complete(_ result: Result<T, some Error>) {
        switch result {
        case .success(let value): complete(value, nil)
        case .failure(let error): complete(nil, error)
        }
    }
}

/// Calls a method, and waits for the value that its completion handler gets.
nonisolated(nonsending) func received<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) async throws -> sending T {
    guard !Task.isCancelled else { throw taskCancellation() }
    let parcel = try await handedOver(fileID, line, method) as? Lock<T?>
    // Both are there: a handoff makes only such parcels, and this is the value's only receiver.
    return parcel.unsafelyUnwrapped.exchange(nil).unsafelyUnwrapped
}

nonisolated(nonsending) private func handedOver<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) async throws -> _LockedObject {
    // Without anything to cancel no token is needed, which halves the time (row 11 of the benchmarks).
    guard Call.self != Void.self else { return try await called(fileID, line, method).value }
    let token = CancelToken()
    let future = abandonable(token, .abandon, fileID, line, nil) { (block: CompletionBlock<_LockedObject>) in
        let call = try method(Handoff(block: block))
        return (call as? any CancellableHandle).map { handle in CancelAction { handle.cancel() } }
    }
    return try await future.value(cancelling: token)
}

/// A separate function, so that the handler is released before the wait.
private func called<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) -> Future<_LockedObject> {
    let future = Future<_LockedObject>()
    let block = CompletionBlock(of: future, createdAt: CreationSite(fileID: fileID, line: line))
    do { _ = try method(Handoff(block: block)) } catch { block.close(with: error) }
    return future
}
