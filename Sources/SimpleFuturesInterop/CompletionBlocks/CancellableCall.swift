import SimpleFutures

/// A running call that a token can cancel.
///
/// It connects the future that the handler completes with the future that the caller has.
///
/// The two are linked with the token, so the claim of that link decides every race: either the link passes the result
/// on, or the future and then the handle are canceled, and the value is late.
final class CancellableCall<T: Sendable>: Sendable {
    let future = Future<T>()
    private let answer = Future<T>()
    private let handle = CallHandle()
    /// Whether the future was canceled.
    ///
    /// After its release: whether the token was.
    private let isStopped: @Sendable () -> Bool

    /// - Parameter late: With a closure, a future that is released and has no waiters also leaves the call, and the
    ///   value is late then. Without one there is no extra cost.
    init(under token: CancelToken, _ response: TaskCancellationResponse, onLate late: (@Sendable (T) -> Void)?) {
        let (future, answer, handle) = (future, answer, handle)
        if late == nil {
            isStopped = { future.isCancelled }
        } else {
            isStopped = { [weak future] in future?.isCancelled ?? token.isCancelled }
        }
        switch response {
        case .wait:
            Self.end(handle, with: answer, or: token) {}
            link(under: .none, onLate: late)
        case .abandon:
            // A stopped call may never call its handler. Its release is not a broken promise then.
            let stop = { @Sendable in _ = answer.gainProducer() }
            future.observe(.plumbing) { future, _ in
                switch future.phase {
                case .cancelled:
                    stop()
                    handle.cancel()
                // The future was released, which does not stop the call. The token still does.
                case .abandoned: Self.end(handle, with: answer, or: token, onCancel: stop)
                case .pending, .succeeded, .failed: handle.end()
                }
            }
            link(under: token, onLate: late)
        }
    }

    /// Passes the value of the call to the future, or to `late`.
    private func link(under token: CancelToken, onLate late: (@Sendable (T) -> Void)?) {
        guard let late else {
            return answer.observe(.forwarding, under: token, target: future) { source, target in
                forward(source, to: target, as: T.self)
            }
        }
        let untaken = Lock(Optional(late))
        answer.observe(.forwarding, under: token, leavingWith: future) { source, target in
            guard let target else { return }
            untaken.exchange(nil)
            forward(source, to: target, as: T.self)
        }
        answer.observe(.success, on: ImmediateContext(), under: .none) { source, _ in
            if let late = untaken.exchange(nil), let value = source.settledResult(as: T.self)?.value { late(value) }
        }
    }

    /// Lets the token cancel the handle until the call has ended.
    private static func end(
        _ handle: CallHandle, with answer: Future<T>, or token: CancelToken, onCancel: @escaping @Sendable () -> Void
    ) {
        let registration = token.onCancel {
            onCancel()
            handle.cancel()
        }
        answer.observe(.plumbing) { _, _ in
            registration.cancel()
            handle.end()
        }
    }

    /// Calls the method.
    func start(
        createdAt site: CreationSite, _ method: (CompletionBlock<T>) throws -> (some CancellableHandle)?
    ) {
        let block = CompletionBlock(of: answer, createdAt: site, isStopped: isStopped)
        do {
            if let started = try method(block) { handle.store(started) } else { handle.end() }
        } catch {
            block.close(with: error)
        }
    }
}
