public import SimpleFutures

/// The implementation of an iterator: its subscription, its inbox, and the batch taken out of the inbox.
///
/// It unsubscribes when it is released.
@usableFromInline
final class StreamReader<T: Sendable>: @unchecked Sendable {
    // Sendable: `batch`, `hasEnded` and `wasCancelled` are accessed only by the task inside the mutex, or by the holder
    // of the only reference.

    @usableFromInline let stream: StreamCore
    @usableFromInline let subscriber: Subscriber
    @usableFromInline let inbox: StreamInbox<T>
    @usableFromInline let turnstile = Turnstile()
    @usableFromInline @exclusivity(unchecked) var batch = RingBuffer<Try<T>>()
    @usableFromInline @exclusivity(unchecked) var hasEnded = false
    /// Whether it has ended because a task that waited for an element was canceled.
    @usableFromInline @exclusivity(unchecked) var wasCancelled = false

    /// Whether `FuturesDiagnostics.pending` includes it.
    private let isTracked: Bool

    /// Subscribes.
    @inlinable
    convenience init(_ stream: FutureStream<T>, _ policy: StreamBufferingPolicy) {
        let inbox = StreamInbox<T>(policy)
        self.init(stream.core, inbox, Subscriber(.everything) { event, _ in inbox.receive(event) })
    }

    @usableFromInline
    init(_ stream: StreamCore, _ inbox: StreamInbox<T>, _ subscriber: Subscriber) {
        self.stream = stream
        self.inbox = inbox
        self.subscriber = subscriber
        isTracked = Readers.enter(subscriber) { inbox.unread }
        // Elements in a batch can be counted only by the consumer.
        if isTracked { inbox.gate.giveOneByOne() }
        stream.subscribe(sink: subscriber)
    }

    deinit {
        stream.remove(subscriber)
        if isTracked { Readers.leave(subscriber) }
    }

    /// The next element of the batch, without a call that could suspend; nil if the batch is empty or the task is
    /// canceled.
    ///
    /// Only for an iterator with the only reference: no other task can be inside, so it need not enter the mutex.
    @inlinable @inline(__always)
    func nextAtHand(throwing: Bool) -> Try<T>? {
        guard !Task.isCancelled, let element = batch.popFirst() else { return nil }
        if throwing, case .failure = element { close() }
        return element
    }

    /// Waits for the next element, a failure of the buffer, or a cancellation.
    ///
    /// Returns nil at the end.
    ///
    /// - Parameter throwing: Whether a failure will be thrown, which ends the iterator. Then reports of lost elements,
    ///   which would not end it, are skipped.
    @inlinable
    func next(throwing: Bool) async -> Try<T>? {
        if !turnstile.tryEnter() {
            guard await turnstile.enter() else { return .failure(taskCancellation()) }
            // For an earlier call, the cancellation of another call's task must not look like the end.
            if wasCancelled {
                turnstile.leave()
                return .failure(CancellationError())
            }
        }
        defer { turnstile.leave() }
        let element: Try<T>?
        if !Task.isCancelled, let first = batch.popFirst() {
            element = first
        } else {
            element = await nextOfInbox(throwing: throwing)
        }
        if throwing, case .failure = element { close() }
        return element
    }

    @inlinable
    func nextOfInbox(throwing: Bool) async -> Try<T>? {
        while !hasEnded {
            guard !Task.isCancelled else {
                wasCancelled = true
                close()
                return .failure(taskCancellation())
            }
            switch inbox.take(&batch, throwing: throwing) {
            case .element(let element): return element
            case .lag where throwing: break
            case .lag(let count): return .failure(FuturesError.bufferOverflow(dropped: count))
            case .end(let error):
                close()
                return error.map { .failure($0) }
            case .nothing: await inbox.gate.wait(as: subscriber, of: stream)
            }
        }
        return nil
    }

    @usableFromInline
    func close() {
        hasEnded = true
        stream.remove(subscriber)
        inbox.close(&batch)
        inbox.gate.finishLeaving()
    }
}
