import SimpleFutures

/// The part of a stream's `asyncMap` and its like that runs in a task: a loop over what a stream emits from now on, its history
/// first.
///
/// The elements come by a stream in between, which is registered under the token, so that it is detached as any other. The
/// loop is its only subscriber.
struct AsyncRelay<T: Sendable>: Sendable {
    private let relay: FutureStream<T>
    private let reader: StreamReader<T>

    init(from source: FutureStream<T>, under token: CancelToken) {
        relay = FutureStream(producedWith: 0)
        reader = StreamReader(relay, .unbounded)
        source.lead(to: relay.core, under: token, joins: false)
    }

    /// Starts the loop.
    ///
    /// - Parameters:
    ///   - body: What to do with an element.
    ///   - ended: Runs once, at the end of the loop; or, if the link was detached, at once, while the body may still be running.
    func start(
        on actor: (any Actor)?, name: String?, priority: TaskPriority?,
        _ body: @escaping @Sendable (Try<T>, isolated (any Actor)?) async -> Void,
        ended: @escaping @Sendable (_ isCancelled: Bool) -> Void
    ) {
        let (reader, core) = (reader, relay.core)
        let task = startTask(on: actor, name: name, priority: priority) { actor in
            while core.end != .cancellation, let element = await reader.next(throwing: false) {
                await body(element, actor)
            }
            if core.end != .cancellation { ended(false) }
        }
        core.subscribe(.cancellation) { _, _ in
            ended(true)
            task.cancel()
        }
    }
}
