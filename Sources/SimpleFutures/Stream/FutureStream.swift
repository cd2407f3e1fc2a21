/// A sequence of results: for delegates, observers and closures that are called repeatedly.
///
///     let positions: FutureStream<Position> = futureStream(capacity: 10, method: tracker.observe)
///     positions.onSuccess(isolated: { show($0.speed) })
///     positions.onFailure(isolated: { show($0) })
///
/// The label `isolated:` belongs to the module SimpleFuturesInterop: the closure runs on the actor of the code around it.
///
/// Elements are values and errors: a failure is an element and doesn't end the stream. They are emitted by a
/// ``StreamPromise``, by a closure wrapped with `futureStream(method:)`, by the stream that it is derived from, or by
/// your own code.
///
/// **Replay buffer.** A stream keeps its newest elements, up to its ``capacity``. A new subscriber receives them first, then
/// the new elements: none is lost between them, and none comes twice. By default a stream keeps all elements, as in
/// SimpleFutures 0.2. If a stream doesn't end, set a capacity. Derived streams have the capacity of their source, and
/// subscribe to it at once: with a capacity of 0, elements that come before their own first subscriber are lost.
///
/// **Contexts and order.** A callback runs on the context that you register it with, by default
/// ``QueueContext/futuresDefault``, the main queue, and never on two threads at the same time. On one queue, each new
/// element goes to all callbacks in the order of registration, then the next element. A queue receives up to 64 waiting
/// elements at once, then runs its other work. Emitting never waits for another thread; an immediate callback runs
/// inside it. A derived stream gets all its elements through the context of its closure, also elements that skip the
/// closure.
///
/// **End.** A stream *finishes* by ``finish()`` or when its last producer is released. It is *canceled* by a ``CancelToken``.
/// ``onFinish(context:cancelToken:_:)`` and ``onCancel(context:cancelToken:_:)`` run after the last element.
///
/// **Lifetime.** Releasing a stream doesn't cancel its callbacks: they still run. A stream without a producer finishes
/// when it is released. A derived stream that is released unsubscribes from its source when it has no subscribers left,
/// so a loop that ends by `break` leaves no `map` behind; then it is canceled. Callbacks for its end alone don't keep
/// it. If it never had another subscriber, it keeps running its closure.
///
/// All members may be called from any thread and in any callback.
@preconcurrency
public final class FutureStream<T: Sendable>: Sendable {
    /// The implementation of the stream.
    ///
    /// Package hook.
    @usableFromInline package let core: StreamCore
    /// Whether a reference to the stream counts as a producer.
    private let isBare: Bool

    /// Creates a stream that you emit into yourself.
    ///
    /// It finishes by ``finish()``, or when it is released.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @preconcurrency
    public init(capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line) {
        requireCapacity(capacity, fileID, line)
        core = Self.makeCore(capacity: capacity, createdAt: CreationSite(fileID: fileID, line: line))
        isBare = true
    }

    /// Creates a stream with one element, a value.
    ///
    /// You can emit more elements into it.
    ///
    /// - Parameters:
    ///   - value: The element.
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @preconcurrency
    public convenience init(
        value: T, capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(capacity: capacity, fileID: fileID, line: line)
        success(value)
    }

    /// Creates a stream with one element, an error.
    ///
    /// You can emit more elements into it.
    ///
    /// - Parameters:
    ///   - error: The element.
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public convenience init(
        error: any Error, capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(capacity: capacity, fileID: fileID, line: line)
        failure(error)
    }

    /// Creates a stream whose producer the user has created: a promise, a closure or a source.
    ///
    /// Package hook.
    @usableFromInline
    package init(producedWith capacity: Int, fileID: StaticString, line: UInt) {
        requireCapacity(capacity, fileID, line)
        core = Self.makeCore(capacity: capacity, createdAt: CreationSite(fileID: fileID, line: line))
        isBare = false
    }

    /// Creates a stream whose producer is another stream or a future.
    ///
    /// Package hook.
    ///
    /// The capacity must be valid: that of another stream, or already checked.
    @usableFromInline
    package init(producedWith capacity: Int) {
        core = Self.makeCore(capacity: capacity, createdAt: nil)
        isBare = false
    }

    deinit {
        if isBare { core.loseProducer() }
        core.letGo()
    }

    private static func makeCore(capacity: Int, createdAt site: CreationSite?) -> StreamCore {
        guard !_isPOD(T.self) || !Payload.isInline(T.self) else {
            return StreamCore(capacity: capacity, createdAt: site, destroyValue: nil)
        }
        return StreamCore(capacity: capacity, createdAt: site) { Payload.destroy($0, as: T.self) }
    }

    /// The size of the replay buffer: the maximum number of elements for later subscribers.
    public var capacity: Int { core.capacity }

    /// The number of elements in the replay buffer.
    public var count: Int { core.historyCount }

    /// The elements in the replay buffer, oldest first, as completed futures.
    @inlinable
    public var futures: [Future<T>] {
        var results: [Try<T>] = []
        core.readHistory { results.append($0.result(as: T.self)) }
        return results.map { result in
            let future = Future<T>()
            future.settle(result)
            return future
        }
    }

    /// Whether the stream has finished.
    ///
    /// A canceled stream never finishes.
    public var isFinished: Bool { core.end == .finish }

    /// Whether a ``CancelToken`` canceled the stream, or a stream that it is derived from.
    public var isCancelled: Bool { core.end == .cancellation }

    /// Cancels the callbacks and streams that were registered on this stream with a token.
    ///
    /// The callbacks don't run any more, not even for elements that are queued already. Streams derived with the token
    /// are canceled; `flatMap`, `flatMapLatest` and `recoverWith` among them leave their inner streams. The stream itself
    /// and its other subscribers continue. `asyncFlatMap`, and a `zip` or `combineLatest` of three streams whose
    /// first or second this is, go on as if this source had been canceled; to cancel them, cancel the token.
    ///
    /// The cost is proportional to the number of subscribers, or of registrations with the token if those are fewer.
    ///
    /// - Returns: Whether there was anything to cancel.
    @discardableResult
    public func cancel(_ token: CancelToken) -> Bool { core.cancel(token) }
}

extension FutureStream: CustomDebugStringConvertible {
    /// The number of elements and subscribers, and whether it has ended.
    public var debugDescription: String {
        let state =
            switch core.end {
            case .finish: "finished"
            case .cancellation: "cancelled"
            default: "open"
            }
        return "FutureStream<\(T.self)>(\(count) kept, \(core.subscriberCount) subscribed, \(state))"
    }
}
