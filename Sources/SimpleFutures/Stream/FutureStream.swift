/// Results that come one after the other: what a ``Future`` is to a completion block that is called once, a stream is
/// to one that is called again and again.
///
///     let positions = futureStream(capacity: 10, method: locationManager.observe)
///     positions.onSuccess { map.show($0) }
///     positions.onFailure { report($0) }
///
/// Its elements are values and errors: a failure is an element, not the end. They are emitted by whoever produces the
/// stream: a ``StreamPromise``, a block wrapped with `futureStream(method:)`, another stream that it is derived from,
/// or, for a bare `FutureStream()`, whoever holds it.
///
/// **What it keeps.** The newest elements, up to its ``capacity``. Whoever subscribes gets these first, then what comes
/// after: nothing is lost in between, and nothing comes twice. Streams keep everything unless told otherwise, as in
/// SimpleFutures; a stream that does not end should be given a capacity, 0 to keep nothing. Derived streams inherit it.
///
/// **Where code runs, and in which order.** A callback runs on the context it was registered with, by default
/// ``QueueContext/futuresDefault``, and is never called by two threads at a time. All callbacks of a stream on one
/// queue get element by element, and each element in the order of registration. What has piled up for a queue is
/// delivered in one go, at most 64 elements before the queue gets round to other work. To emit never blocks.
///
/// **How it ends.** *Finished*, by ``finish()`` or when its last producer is gone; or *cancelled*, if a ``CancelToken``
/// has detached a derived stream from its source. ``onFinish(context:cancelToken:_:)`` and ``onCancel(context:_:)``
/// tell, after the last element.
///
/// **Dropping it** cancels nothing: callbacks that are registered still run. Dropping a bare stream finishes it, as
/// nobody can emit into it any more. A derived stream that is dropped and has lost all its subscribers leaves its
/// source: a loop that ends by `break` leaves no `map` behind. One that never had a subscriber keeps running its
/// closure.
///
/// All members may be called from any thread and from inside any callback.
@preconcurrency
public final class FutureStream<T: Sendable>: Sendable {
    /// Package hook: what is behind the stream.
    @usableFromInline package let core: StreamCore
    /// Whether whoever holds the stream counts as the one who emits.
    private let isBare: Bool

    /// Creates a stream that whoever holds it emits into.
    ///
    /// It finishes by ``finish()``, or when it is released.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for those who subscribe later. It must not be negative.
    ///   - fileID: Where it is made, for reports.
    ///   - line: Where it is made, for reports.
    @preconcurrency
    public init(capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line) {
        requireCapacity(capacity, fileID, line)
        core = Self.makeCore(capacity: capacity, createdAt: CreationSite(fileID: fileID, line: line))
        isBare = true
    }

    /// Creates a stream with one element, a value.
    ///
    /// Whoever holds it may emit more.
    ///
    /// - Parameters:
    ///   - value: The element.
    ///   - capacity: How many of the newest elements are kept for those who subscribe later. It must not be negative.
    ///   - fileID: Where it is made, for reports.
    ///   - line: Where it is made, for reports.
    @preconcurrency
    public convenience init(
        value: T, capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(capacity: capacity, fileID: fileID, line: line)
        success(value)
    }

    /// Creates a stream with one element, an error.
    ///
    /// Whoever holds it may emit more.
    ///
    /// - Parameters:
    ///   - error: The element.
    ///   - capacity: How many of the newest elements are kept for those who subscribe later. It must not be negative.
    ///   - fileID: Where it is made, for reports.
    ///   - line: Where it is made, for reports.
    public convenience init(
        error: any Error, capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(capacity: capacity, fileID: fileID, line: line)
        failure(error)
    }

    /// A stream with a producer of its own that the user has made: a promise, a block, a source.
    ///
    /// Package hook.
    package init(producedWith capacity: Int, fileID: StaticString, line: UInt) {
        requireCapacity(capacity, fileID, line)
        core = Self.makeCore(capacity: capacity, createdAt: CreationSite(fileID: fileID, line: line))
        isBare = false
    }

    /// A stream with a producer of its own: another stream or a future.
    ///
    /// Package hook. The capacity is that of another stream, or was looked at.
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

    /// How many elements are kept, at the most, for those who subscribe later.
    public var capacity: Int { core.capacity }

    /// How many elements are kept at this moment.
    public var count: Int { core.historyCount }

    /// The elements that are kept at this moment, from the oldest, as completed futures.
    public var futures: [Future<T>] {
        var results: [Try<T>] = []
        core.readHistory { results.append($0.result(as: T.self)) }
        return results.map { result in
            let future = Future<T>()
            future.settle(result)
            return future
        }
    }

    /// Whether the stream has finished: nobody will emit into it any more.
    ///
    /// A cancelled stream has not finished, and never will.
    public var isFinished: Bool { core.end == .finish }

    /// Whether the stream was detached from its source by a ``CancelToken``, or derives from one that was.
    public var isCancelled: Bool { core.end == .cancellation }

    /// Detaches what was registered on this stream under a token.
    ///
    /// Detached callbacks do not run any more, not even with elements that their context has been asked to deliver;
    /// streams that were derived under the token are cancelled. The stream itself and other registrations go on. The
    /// inner futures and streams of a `flatMap` or `recoverWith` are detached too, as the derived stream is cancelled.
    ///
    /// The cost is in the number of subscribers of the stream, or of registrations under the token if those are fewer.
    ///
    /// - Returns: Whether there was anything to detach.
    @discardableResult
    public func cancel(_ token: CancelToken) -> Bool { core.cancel(token) }
}

extension FutureStream: CustomDebugStringConvertible {
    /// How many elements it keeps, how many have subscribed, and whether it has ended.
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
