public import SimpleFutures

/// Calls a method, and returns a future of the value that its completion handler gets.
@inlinable
func abandonable<T: Sendable, Handle: CancellableHandle>(
    _ token: CancelToken, _ response: TaskCancellationResponse, _ fileID: StaticString, _ line: UInt,
    _ late: (@Sendable (T) -> Void)?, _ method: (CompletionBlock<T>) throws -> Handle?
) -> Future<T> {
    let future = Future<T>()
    guard !token.isCancelled else {
        // A caller that waits for the call's own result gets an error, as for a task that is canceled before it has
        // begun.
        if response == .abandon { future.cancelAsTarget() } else { future.settle(.failure(CancellationError())) }
        return future
    }
    let answer = Future<T>()
    let takeLate = late.map { late -> @Sendable (AnyFuture) -> Void in
        { answer in if let value = answer.settledResult(as: T.self)?.value { late(value) } }
    }
    let call = CancellableCall(answer, for: future, under: token, response, onLate: takeLate) { answer, future in
        forward(answer, to: future, as: T.self)
    }
    let block = CompletionBlock(
        of: answer, createdAt: CreationSite(fileID: fileID, line: line), isStopped: call.isStopped)
    do { call.started(try method(block)) } catch { block.close(with: error) }
    return future
}

/// A running call that a token can cancel.
///
/// It connects the future that the handler completes, the answer, with the future that the caller has.
///
/// The two are linked with the token, so the claim of that link decides every race: either the link passes the result
/// on, or the future and then the handle are canceled, and the value is late.
///
/// It is not generic over the value, so that it is compiled only once.
@usableFromInline
struct CancellableCall: Sendable {
    private let future: AnyFuture
    private let answer: AnyFuture
    private let handle = CallHandle()
    /// Whether the future was canceled.
    ///
    /// After its release: whether the token was.
    @usableFromInline let isStopped: @Sendable () -> Bool

    /// - Parameters:
    ///   - late: With a closure, a future that is released and has no waiters also leaves the call, and the
    ///     value is late then. Without one there is no extra cost.
    ///   - forward: Completes the future with the value of the answer.
    @usableFromInline
    init(
        _ answer: AnyFuture, for future: AnyFuture, under token: CancelToken, _ response: TaskCancellationResponse,
        onLate late: (@Sendable (AnyFuture) -> Void)?, forward: @escaping @Sendable (AnyFuture, AnyFuture?) -> Void
    ) {
        (self.answer, self.future) = (answer, future)
        if late == nil {
            isStopped = { future.isCancelled }
        } else {
            isStopped = { [weak future] in future?.isCancelled ?? token.isCancelled }
        }
        let handle = handle
        switch response {
        case .wait:
            Self.end(handle, with: answer, or: token)
            link(under: .none, onLate: late, forward)
        case .abandon:
            future.observe(.plumbing) { future, _ in
                switch future.phase {
                case .cancelled: handle.cancel()
                // The future was released, which does not stop the call. The token still does.
                case .abandoned: Self.end(handle, with: answer, or: token)
                case .pending, .succeeded, .failed: break
                }
            }
            link(under: token, onLate: late, forward)
        }
    }

    /// Passes the value of the call to the future, or to `late`.
    private func link(
        under token: CancelToken, onLate late: (@Sendable (AnyFuture) -> Void)?,
        _ forward: @escaping @Sendable (AnyFuture, AnyFuture?) -> Void
    ) {
        guard let late else { return answer.observe(.forwarding, under: token, target: future, forward) }
        let untaken = Lock(Optional(late))
        answer.observe(.forwarding, under: token, leavingWith: future) { source, target in
            guard let target else { return }
            untaken.exchange(nil)
            forward(source, target)
        }
        answer.observe(.success, on: ImmediateContext(), under: .none) { source, _ in untaken.exchange(nil)?(source) }
    }

    /// Lets the token cancel the handle until the call has ended.
    private static func end(_ handle: CallHandle, with answer: AnyFuture, or token: CancelToken) {
        let registration = token.onCancel { handle.cancel() }
        answer.observe(.plumbing) { _, _ in
            registration.cancel()
            handle.end()
        }
    }

    /// The method has returned a handle, or none.
    @usableFromInline
    func started(_ started: (any CancellableHandle)?) { handle.started(started) }
}
