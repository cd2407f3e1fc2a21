/// The state machine of a stream: its log, its lanes, its end.
///
/// It is pure: each transition returns what is to be done after the lock is released.
///
///     open ──► finished | canceled                 end, once
///     idle ──► active ⇄ handed over ──► idle        each lane by itself, one thread at a time
///
/// A lane with somebody who has an element or the end before him is always being delivered, or about to be. Whatever
/// comes meanwhile goes into the log, and whoever delivers finds it there: this is what keeps the order.
struct StreamState: ~Copyable {
    var log: StreamLog
    /// How the stream has ended; nil while it has not.
    private(set) var end: StreamSignal?
    /// What can still emit.
    private var producers: UInt32 = 1
    /// Whether one of several sources was canceled: then the end that comes with the last of them is no finish.
    private var hasLostSource = false
    /// Whether somebody could still subscribe, or ask for the history.
    private(set) var isHeld = true
    private(set) var subscriberCount = 0
    /// How many of them want elements.
    private(set) var listenerCount = 0
    /// Whether there ever was one.
    private(set) var hasHadListener = false
    /// Whether somebody is to be told when it changes.
    var hasWork = false
    /// The number of the source's run, of those that are started and stopped.
    var run: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var lanes: [StreamLane] = [] {
        didSet { onlyLane = lanes.count == 1 ? .passUnretained(lanes[0]) : nil }
    }
    /// The lane of a stream that has one, at hand without a retain.
    private(set) var onlyLane: Unmanaged<StreamLane>?
    /// The lanes by key, when there are too many to look at each.
    private var lanesByKey: [StreamLane.Key: StreamLane] = [:]
    /// Those of contexts that are compared as values, by hash value.
    private var lanesByHash: [Int: [StreamLane]] = [:]
    /// A lane that was taken out, to be released outside of the lock: with it may go its context, and what that owns.
    private var unusedLane: StreamLane?
    #if DEBUG
    /// The type of the last context that could not be compared.
    private var lastAlone: ObjectIdentifier?
    #endif
    /// Where elements come from that are subscribers of other streams.
    private var sources = LinkedList<StreamSource>()

    init(capacity: Int) { log = StreamLog(capacity: capacity) }

    // MARK: Emitting and ending

    /// The lanes that the caller must see to.
    enum Wake {
        case nobody
        case one(StreamLane)
        case several([StreamLane])
    }

    /// False when the stream has ended.
    @inline(__always)
    mutating func append(_ signal: StreamSignal, _ write: (UnsafeMutableRawPointer) -> Void) -> Bool {
        guard end == nil else { return false }
        log.append(signal, write)
        return true
    }

    /// Whether there is one lane, and somebody who delivers it already.
    @inline(__always)
    var isBusy: Bool { onlyLane?._withUnsafeGuaranteedRef { $0.phase != .idle } ?? false }

    /// See `StreamLane.allowOneMore`, of the only lane.
    func allowOneMore(_ thread: UnsafeRawPointer) {
        onlyLane?._withUnsafeGuaranteedRef { $0.allowOneMore(thread) }
    }

    /// The lanes to see to after a thread has appended an element.
    func wakeForElement(_ thread: UnsafeRawPointer) -> Wake {
        wake { lane in
            lane.allowOneMore(thread)
            return !lane.waiting.isEmpty
        }
    }

    /// The one transition out of `open`; nil when it was made before.
    mutating func end(with signal: StreamSignal) -> Wake? {
        guard end == nil else { return nil }
        end = signal
        return wake { $0.count > 0 }
    }

    @inline(__always)
    private func wake(_ needsIt: (StreamLane) -> Bool) -> Wake {
        guard lanes.count > 1 else {
            guard let lane = lanes.first, needsIt(lane), lane.activate() else { return .nobody }
            return .one(lane)
        }
        let woken = lanes.filter { needsIt($0) && $0.activate() }
        return woken.count > 1 ? .several(woken) : woken.first.map(Wake.one) ?? .nobody
    }

    /// The ways to contexts that have a task of an ended stream, to be released outside of the lock.
    func closeRoutes() -> [_Route] {
        lanes.compactMap { $0.phase == .handedOver ? takeRoute(of: $0) : nil }
    }

    func takeRoute(of lane: StreamLane) -> _Route? {
        let left = lane.waiting.first.map { log.end.index - $0.position.index } ?? 0
        return lane.route.take(hasEnded: end != nil, isLastTask: left <= Pace.limit)
    }

    // MARK: Producers

    /// False when the stream has ended and needs no producer.
    mutating func gainProducer() -> Bool {
        guard end == nil else { return false }
        producers += 1
        return true
    }

    /// Ends the stream when that was the last one; else nil.
    mutating func loseProducer(cancelled: Bool) -> Wake? {
        guard end == nil else { return nil }
        if cancelled { hasLostSource = true }
        producers -= 1
        guard producers == 0 else { return nil }
        return end(with: hasLostSource ? .cancellation : .finish)
    }

    /// False when the stream has ended and needs no source.
    mutating func add(_ source: StreamSource) -> Bool {
        guard end == nil else { return false }
        sources.append(source)
        return true
    }

    mutating func remove(_ source: StreamSource) { sources.remove(source) }

    /// Some of the streams of which this one takes over all elements.
    func joinedStreams(atMost count: Int) -> [StreamCore] {
        var found: [StreamCore] = []
        var source = sources.first
        while let current = source, found.count < count {
            if let stream = current.joinedStream { found.append(stream) }
            source = sources.next(after: current)
        }
        return found
    }

    /// What an ended stream is to be cut off from.
    mutating func popSource() -> StreamSource? { sources.popFirst() }

    // MARK: Subscribing

    enum Addition {
        /// The subscriber was taken out before it got in.
        case refused
        case waiting
        /// The caller must deliver.
        case deliver(StreamLane)
    }

    #if DEBUG
    /// Whether the stream got a context that cannot be compared right after another one of the same type.
    ///
    /// To be asked once for each that is added.
    mutating func meetsItsLike(_ key: StreamLane.Key, _ route: _Route) -> Bool {
        guard key.isAlone, let context = route.context else { return false }
        let type = ObjectIdentifier(type(of: context))
        defer { lastAlone = type }
        return lastAlone == type
    }

    #endif

    /// Adds a subscriber, with all of the history before it.
    mutating func add(_ subscriber: Subscriber, _ key: StreamLane.Key, _ route: _Route) -> Addition {
        guard subscriber.place == .outside else { return .refused }
        let lane = lane(key, route)
        lastNumber += 1
        subscriber.number = lastNumber
        subscriber.lane = lane
        subscriber.place = .waiting
        subscriberCount += 1
        lane.count += 1
        var hasSomething = end != nil
        if subscriber.wantsEndOnly {
            lane.watchers.append(subscriber)
        } else {
            listenerCount += 1
            hasHadListener = true
            subscriber.position = log.join()
            lane.insert(owned: .passRetained(subscriber))
            lane.interrupt()
            hasSomething = hasSomething || !log.isAtEnd(subscriber.position)
        }
        return hasSomething && lane.activate() ? .deliver(lane) : .waiting
    }

    private mutating func lane(_ key: StreamLane.Key, _ route: _Route) -> StreamLane {
        let found = lanesByKey.isEmpty ? lanes.first { $0.key == key } : lanesByKey[key]
        if let found {
            found.route.renew(route)
            return found
        }
        let lane = StreamLane(key, route)
        lane.index = lanes.count
        lanes.append(lane)
        if let hash = key.hash { lanesByHash[hash, default: []].append(lane) }
        if !lanesByKey.isEmpty {
            lanesByKey[key] = lane
        } else if lanes.count == 8 {
            for lane in lanes { lanesByKey[lane.key] = lane }
        }
        return lane
    }

    /// Takes a subscriber out, or sees to it that it never gets in.
    ///
    /// Nil when it was out before.
    mutating func remove(_ subscriber: Subscriber) -> Subscriber.Contents? {
        switch subscriber.place {
        case .outside: subscriber.place = .done
        case .done: return nil
        case .waiting: takeOutWaiting(subscriber)
        case .running:
            // Its place in the log is given up when its body returns, and what it holds is released then: the body uses
            // it.
            subscriber.interrupt()
            _ = subscriber.lane?.running.take(subscriber)
            retire(subscriber)
            return subscriber.contents
        }
        return subscriber.takeContents()
    }

    mutating func takeOutWaiting(_ subscriber: Subscriber) {
        if subscriber.wantsEndOnly {
            subscriber.lane?.watchers.remove(subscriber)
        } else {
            subscriber.lane?.remove(subscriber)
            leave(subscriber)
        }
        retire(subscriber)
    }

    /// Whoever keeps the subscriber must not keep the log, nor, once it is retired, the lane and its context.
    mutating func leave(_ subscriber: Subscriber) {
        log.leave(&subscriber.position)
        subscriber.position = StreamPosition()
    }

    private mutating func retire(_ subscriber: Subscriber) {
        subscriber.place = .done
        subscriberCount -= 1
        if !subscriber.wantsEndOnly { listenerCount -= 1 }
        guard let lane = subscriber.lane.take() else { return }
        lane.count -= 1
        removeIfIdle(lane)
    }

    mutating func removeIfIdle(_ lane: StreamLane) {
        guard lane.count == 0, lane.phase == .idle, lane.index < lanes.count, lanes[lane.index] === lane else { return }
        let last = lanes.removeLast()
        if last !== lane {
            lanes[lane.index] = last
            last.index = lane.index
        }
        lanesByKey[lane.key] = nil
        if let hash = lane.key.hash {
            lanesByHash[hash]?.removeAll { $0 === lane }
            if lanesByHash[hash]?.isEmpty ?? false { lanesByHash[hash] = nil }
        }
        assert(unusedLane == nil, "each step takes out one lane at the most")
        unusedLane = lane
    }

    /// What a step has taken out, for the one who has taken the lock.
    @inline(__always)
    mutating func takeUnusedLane() -> StreamLane? { unusedLane == nil ? nil : unusedLane.take() }

    /// The routes to contexts that are compared as values and have this hash value.
    func routes(withHash hash: Int) -> [_Route] { lanesByHash[hash]?.compactMap { $0.route.open } ?? [] }

    /// The lanes, for one who tells of them.
    var allLanes: [StreamLane] { lanes }

    /// All subscribers that were registered under a token.
    func subscribers(under token: CancelToken) -> [SubscriberLink] {
        var found: [SubscriberLink] = []
        for lane in lanes {
            for list in [lane.waiting, lane.running, lane.watchers] {
                list.forEach { if let link = $0.link, link.token === token { found.append(link) } }
            }
        }
        return found
    }

    // MARK: Being held

    /// The handle is gone: nobody will subscribe any more.
    mutating func letGo() {
        isHeld = false
        log.forgetHistory()
    }

    /// Whether an open stream has no subscriber and can get none.
    var isUnseen: Bool { !isHeld && subscriberCount == 0 && end == nil }

    /// Whether that is so, and it has had subscribers: then it leaves its sources (promise 8).
    ///
    /// Without ever a subscriber it goes on, for the sake of its closure: `stream.map { log($0) }`.
    var isDeserted: Bool { isUnseen && lastNumber > 0 && !sources.isEmpty }
}
