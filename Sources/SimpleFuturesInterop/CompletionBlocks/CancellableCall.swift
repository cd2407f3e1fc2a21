import SimpleFutures

/// A call under way that a token cancels: between the future that the handler completes and the one that the user has.
///
/// The two are linked under the token. So one place decides who is first, the claim of that link, for whoever cancels
/// and from wherever: either the link passes the result on, or the future is canceled, then the handle, and the value
/// is late.
final class CancellableCall<T: Sendable>: Sendable {
    let future = Future<T>()
    private let answer = Future<T>()
    private let handle = CallHandle()
    /// Whether the future was canceled; when it is gone, whether the token was.
    private let isStopped: @Sendable () -> Bool

    /// - Parameter late: If there is one, the future leaves the call when it is released and nobody waits for it. Then the
    ///   value is late as well. Without one nothing is paid for that.
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
            // A call that was stopped may never answer: its handler is no broken promise.
            let stop = { @Sendable in _ = answer.gainProducer() }
            future.observe(.plumbing) { future, _ in
                switch future.phase {
                case .cancelled:
                    stop()
                    handle.cancel()
                // It was released, which stops nothing. The token still does.
                case .abandoned: Self.end(handle, with: answer, or: token, onCancel: stop)
                case .pending, .succeeded, .failed: handle.end()
                }
            }
            link(under: token, onLate: late)
        }
    }

    /// The value of the call goes to the future or is late.
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

    /// The token cancels the handle until the call has answered.
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
