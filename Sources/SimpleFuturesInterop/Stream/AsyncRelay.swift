import SimpleFutures

/// The part of a stream's `asyncMap` and its like that runs in a task: a loop over what a stream emits, its history
/// first.
///
/// The elements come by a stream in between, the relay, which is registered on the source under the token. That is
/// detached as any other is, but only until the source ends; what the source has emitted then waits still, so the loop
/// itself is under the token too. ``end`` says how it came out: it succeeds after the last element, and is canceled
/// when the loop is detached, or at the end of a stream that was canceled.
struct AsyncRelay<T: Sendable>: Sendable {
    let end = Future<Void>()
    private let source: StreamCore
    private let relay: StreamCore
    private let reader: StreamReader<T>
    private let token: CancelToken

    init(from stream: FutureStream<T>, under token: CancelToken, _ policy: StreamBufferingPolicy) {
        let relay = FutureStream<T>(producedWith: 0)
        reader = StreamReader(relay, policy)
        source = stream.core
        self.relay = relay.core
        self.token = token
        stream.lead(to: relay.core, under: token, joins: false)
    }

    /// Starts the loop.
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
                // The last failure of a stream that was canceled is not one of its elements. A detached loop is known
                // to be one first by the token, then by its end.
                guard !token.isCancelled, !end.isCancelled else { break }
                guard !reader.hasEnded else {
                    // A buffer that was too small is one of them, and the last.
                    if case .failure(FuturesError.bufferOverflow) = element {
                        await body(element)
                        loop.settle(element.map { _ in })
                    }
                    break
                }
                await body(element)
            }
            if relay.end == .cancellation { end.cancelAsTarget() }
            loop.settle(.success(()))
        }
        // A source that was canceled has emitted what waits; a detached one no longer matters.
        relay.subscribe(.cancellation) { [weak source] _, _ in
            if source?.end != .cancellation { end.cancelAsTarget() }
        }
        end.observe(.cancellation) { _, _ in task.cancel() }
        end.setWorker(Worker(task))
    }
}
