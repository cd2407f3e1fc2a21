public import SimpleFutures

/// What is behind an iterator: its subscription, its inbox, and the batch that it has taken out of it.
///
/// The subscription goes with it.
@usableFromInline
final class StreamReader<T: Sendable>: @unchecked Sendable {
    // Sendable: `batch`, `hasEnded` and `wasCancelled` are reached by the one who has entered the turnstile, or has the
    // only reference.

    @usableFromInline let stream: StreamCore
    @usableFromInline let subscriber: Subscriber
    @usableFromInline let inbox: StreamInbox<T>
    @usableFromInline let turnstile = Turnstile()
    @usableFromInline @exclusivity(unchecked) var batch = RingBuffer<Try<T>>()
    @usableFromInline @exclusivity(unchecked) var hasEnded = false
    /// Whether it has ended since a task was canceled that waited for an element.
    @usableFromInline @exclusivity(unchecked) var wasCancelled = false

    /// Whether `FuturesDiagnostics.pending` can ask it.
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
        // What is in a batch only its consumer can count.
        if isTracked { inbox.gate.giveOneByOne() }
        stream.subscribe(sink: subscriber)
    }

    deinit {
        stream.remove(subscriber)
        if isTracked { Readers.leave(subscriber) }
    }

    /// The next element of the batch, without a call that could suspend; nil if it has to be got otherwise.
    ///
    /// For an iterator that has the only reference: nobody else can be inside, so it need not enter the turnstile.
    @inlinable @inline(__always)
    func nextAtHand(throwing: Bool) -> Try<T>? {
        guard !Task.isCancelled, let element = batch.popFirst() else { return nil }
        if throwing, case .failure = element { close() }
        return element
    }

    /// The next element, a failure of the buffer, or the news of a cancellation; nil at the end.
    ///
    /// - Parameter throwing: Whether a failure is going to be thrown, and thereby ends the iterator. Then the buffer's
    ///   own, after which it would go on, are left out.
    @inlinable
    func next(throwing: Bool) async -> Try<T>? {
        if !turnstile.tryEnter() {
            guard await turnstile.enter() else { return .failure(taskCancellation()) }
            // To a call that came before another one's task was canceled, this must not look like the end.
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
            switch inbox.take(&batch) {
            case .element(let element): return element
            case .lag where throwing: break
            case .lag(let count): return .failure(FuturesError.bufferOverflow(dropped: count))
            case .end(let error):
                close()
                return error.map { .failure($0) }
            case .nothing: await inbox.gate.wait()
            }
        }
        return nil
    }

    @usableFromInline
    func close() {
        guard !hasEnded else { return }
        hasEnded = true
        stream.remove(subscriber)
        inbox.close(&batch)
    }
}
