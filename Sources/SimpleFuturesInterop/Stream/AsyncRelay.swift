import SimpleFutures

/// The task of a stream's `asyncMap` and similar functions: a loop over the stream's elements, replayed ones first.
///
/// A relay stream passes the elements on. It is registered on the source with the token, but that registration ends
/// with the source while elements still wait; so the loop checks the token too. ``end`` succeeds after the last
/// element. It is canceled when the registration is canceled, or at the end of a canceled stream.
struct AsyncRelay<T: Sendable>: Sendable {
    let end = Future<Void>()
    private let source: StreamCore
    /// Held by the loop: otherwise it would be canceled when the reader unsubscribes, with the last element.
    private let relay: FutureStream<T>
    private let reader: StreamReader<T>
    private let token: CancelToken

    var stream: StreamCore { relay.core }

    init(from stream: FutureStream<T>, under token: CancelToken, _ policy: StreamBufferingPolicy) {
        let relay = FutureStream<T>(producedWith: 0)
        reader = StreamReader(relay, policy)
        reader.inbox.forgetFailures()
        source = stream.core
        self.relay = relay
        self.token = token
        stream.lead(to: relay.core, under: token, joins: false)
    }

    /// Starts the loop.
    ///
    /// A buffer overflow is not an element of the source: it fails ``end``.
    func start(
        on actor: (any Actor)?, name: String?, priority: TaskPriority?,
        _ body: @escaping @Sendable (Try<T>) async -> Void
    ) {
        let (reader, relay, end, token) = (reader, relay, end, token)
        let loop = Future<Void>()
        loop.observe(.forwarding, under: token, target: end) { source, target in
            forward(source, to: target, as: Void.self)
        }
        let task = startTask(on: actor, name: name, priority: priority) { _ in
            while let element = await reader.next(throwing: false) {
                // The last failure of a canceled stream is not one of its elements. After a cancellation, first the
                // token and then `end` is canceled.
                guard !token.isCancelled, !end.isCancelled else { break }
                guard !reader.hasEnded else {
                    if case .failure(FuturesError.bufferOverflow) = element { loop.settle(element.map { _ in }) }
                    break
                }
                await body(element)
            }
            if relay.isCancelled { end.cancelAsTarget() }
            loop.settle(.success(()))
        }
        // The elements of a source that was canceled are still delivered; those of a canceled registration are not.
        let sink = Subscriber(.cancellation) { [weak source] _, _ in
            // A released source was canceled itself, or the token was, and the token cancels `end` too.
            if let source, source.end != .cancellation { end.cancelAsTarget() }
        }
        // A sink is also called inside callbacks.
        relay.core.subscribe(sink: sink)
        // The end of the relay stream unsubscribes it from the source, also after an overflow.
        end.observe(.plumbing) { [core = relay.core] end, _ in
            if end.isCancelled { task.cancel() }
            core.cancelAsTarget()
        }
        end.setWorker(.task(task))
    }
}
