import SimpleFutures

/// A call under way that a token cancels: between the future that the block completes and the one that the user has.
///
/// The two are linked under the token. So one place decides who is first, the claim of that link, for whoever cancels
/// and from wherever: either the link passes the result on, or the future is cancelled, then the handle, and the value
/// is late.
final class CancellableCall<T: Sendable>: Sendable {
    let future = Future<T>()
    private let answer = Future<T>()
    private let handle = CallHandle()

    init(under token: CancelToken, _ response: TaskCancellationResponse, onLate late: (@Sendable (T) -> Void)?) {
        let (answer, handle) = (answer, handle)
        switch response {
        case .wait:
            let registration = token.onCancel { handle.cancel() }
            answer.observe(.plumbing) { _, _ in
                registration.cancel()
                handle.end()
            }
            answer.lead(to: future, under: .none)
        case .abandon:
            let late = Lock(late)
            answer.observe(.forwarding, under: token, target: future) { source, target in
                late.exchange(nil)
                forward(source, to: target, as: T.self)
            }
            answer.observe(.success, on: ImmediateContext(), under: .none) { source, _ in
                if let late = late.exchange(nil), let value = source.settledResult(as: T.self)?.value { late(value) }
            }
            future.observe(.plumbing) { future, _ in
                guard future.isCancelled else { return handle.end() }
                // A call that was stopped may never answer: its block is no broken promise.
                _ = answer.gainProducer()
                handle.cancel()
            }
        }
    }

    /// Calls the method.
    func start(
        createdAt site: CreationSite, _ method: (CompletionBlock<T>) throws -> (some CancellableHandle)?
    ) {
        let block = CompletionBlock(of: answer, for: future, createdAt: site)
        do {
            if let started = try method(block) { handle.store(started) } else { handle.end() }
        } catch {
            block.close(with: error)
        }
    }
}
