/// The state machine of a stream: its log, its lanes, its end.
///
/// It is pure: each transition returns what is to be done after the lock is released.
///
///     open ──► finished | cancelled                 end, once
///     idle ──► active ⇄ handed over ──► idle        each lane by itself, one thread at a time
///
/// A lane with somebody who has an element or the end before him is always being delivered, or about to be. Whatever comes meanwhile
/// goes into the log, and whoever delivers finds it there: this is what keeps the order.
struct StreamState: ~Copyable {
    var log: StreamLog
    /// How the stream has ended; nil while it has not.
    private(set) var end: StreamSignal?
    /// What can still emit.
    private var producers: UInt32 = 1
    /// Whether one of several sources was cancelled: then the end that comes with the last of them is no finish.
    private var hasLostSource = false
    /// Whether somebody could still subscribe, or ask for the history.
    private var isHeld = true
    private(set) var subscriberCount = 0
    private var lastNumber: UInt64 = 0
    private var lanes: [StreamLane] = []
    /// The lanes by key, when there are too many to look at each.
    private var lanesByKey: [StreamLane.Key: StreamLane] = [:]
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

    /// Nil when the stream has ended.
    mutating func emit(_ signal: StreamSignal, _ write: (UnsafeMutableRawPointer) -> Void) -> Wake? {
        guard end == nil else { return nil }
        log.append(signal, write)
        return wake { !$0.waiting.isEmpty }
    }

    /// The one transition out of `open`; nil when it was made before.
    mutating func end(with signal: StreamSignal) -> Wake? {
        guard end == nil else { return nil }
        end = signal
        return wake { $0.count > 0 }
    }

    private func wake(_ needsIt: (StreamLane) -> Bool) -> Wake {
        var first: StreamLane?
        var all: [StreamLane] = []
        for lane in lanes where needsIt(lane) && lane.activate() {
            if first == nil {
                first = lane
            } else {
                if all.isEmpty, let first { all.append(first) }
                all.append(lane)
            }
        }
        guard let first else { return .nobody }
        return all.isEmpty ? .one(first) : .several(all)
    }

    /// The ways to contexts that have a task of an ended stream, to be released outside of the lock.
    func closeRoutes() -> [_Route] {
        lanes.compactMap { $0.phase == .handedOver ? $0.route.take(forTheLastTime: true) : nil }
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
            subscriber.position = log.join()
            lane.insert(subscriber)
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
            // Its place in the log is given up when its body returns.
            subscriber.lane?.running.remove(subscriber)
            retire(subscriber)
        }
        return subscriber.takeContents()
    }

    private mutating func takeOutWaiting(_ subscriber: Subscriber) {
        if subscriber.wantsEndOnly {
            subscriber.lane?.watchers.remove(subscriber)
        } else {
            subscriber.lane?.remove(subscriber)
            leave(subscriber)
        }
        retire(subscriber)
    }

    /// Whoever keeps the subscriber must not keep the log, nor, once it is retired, the lane and its context.
    private mutating func leave(_ subscriber: Subscriber) {
        log.leave(&subscriber.position)
        subscriber.position = StreamPosition()
    }

    private mutating func retire(_ subscriber: Subscriber) {
        subscriber.place = .done
        subscriberCount -= 1
        guard let lane = subscriber.lane.take() else { return }
        lane.count -= 1
        removeIfIdle(lane)
    }

    private mutating func removeIfIdle(_ lane: StreamLane) {
        guard lane.count == 0, lane.phase == .idle, lane.index < lanes.count, lanes[lane.index] === lane else { return }
        let last = lanes.removeLast()
        if last !== lane {
            lanes[lane.index] = last
            last.index = lane.index
        }
        lanesByKey[lane.key] = nil
    }

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

    // MARK: Delivering

    /// Where a lane is delivered.
    enum Delivery {
        /// Wherever an element came.
        case here
        /// On the context, at most so many elements.
        case onContext
    }

    enum Step {
        /// There is nothing more for the caller to do.
        case done
        /// The context must be asked to go on.
        case handOver
        /// Elements were skipped, and others may take the lock.
        case goOn
        /// What the element before has caused comes first.
        case pause
        /// The body runs on the spot. The subscriber is given back with the next call.
        case run(Subscriber, StreamBody?, target: StreamCore?, StreamEvent)
        /// The subscriber was taken out, and gets the end.
        case end(Subscriber, Subscriber.Contents, StreamSignal)
    }

    /// What is next in a lane.
    ///
    /// One at a time, so that whatever a body does to the later ones, cancelling them for instance, takes effect.
    ///
    /// - Parameters:
    ///   - lane: The lane that the caller delivers.
    ///   - turn: The number of the caller's delivery; 0 if it has just begun.
    ///   - previous: The subscriber whose body has returned, and with how many elements.
    ///   - delivery: Where the caller is.
    ///   - pauses: Whether something waits that is to come before another element.
    mutating func next(
        in lane: StreamLane, _ turn: inout UInt64, after previous: (Subscriber, Int)?, _ delivery: Delivery,
        pauses: Bool
    ) -> Step {
        if let (subscriber, count) = previous { giveBack(subscriber, count) }
        if turn == 0 {
            turn = lane.turn
        } else if lane.turn != turn {
            // The body has waited for something, and has let others deliver meanwhile. If these are at it, they go on.
            guard lane.activate() else { return .done }
            turn = lane.turn
        }
        var skipped = 0
        while let subscriber = lane.waiting.first {
            guard isHere(lane, subscriber, delivery) else { return .handOver }
            guard !log.isAtEnd(subscriber.position) else {
                guard let end else { return rest(lane) }
                takeOutWaiting(subscriber)
                return .end(subscriber, subscriber.takeContents(), end)
            }
            if pauses, lane.pace.isAnother(subscriber.position.index) { return .pause }
            guard delivery == .here || !lane.route.isOpen || lane.pace.hasTime(for: subscriber.position.index) else {
                return .handOver
            }
            lane.pace.count(subscriber.position.index)
            let slot = log.slot(at: &subscriber.position)
            lane.remove(subscriber)
            if subscriber.contents.target == nil, !subscriber.interest.contains(slot.pointee.signal) {
                goOn(subscriber, by: 1)
                skipped += 1
                if skipped == 64 { return .goOn }
                continue
            }
            subscriber.place = .running
            lane.running.append(subscriber)
            let count = lane.kind == .sink ? log.run(from: subscriber.position) : 1
            let (body, target) = (subscriber.contents.body, subscriber.contents.target)
            return .run(subscriber, body, target: target, StreamEvent(slot, count: count))
        }
        // On its lane the end comes after the last element.
        guard let end, lane.running.isEmpty, let watcher = lane.watchers.first else { return rest(lane) }
        guard isHere(lane, watcher, delivery) else { return .handOver }
        takeOutWaiting(watcher)
        return .end(watcher, watcher.takeContents(), end)
    }

    private func isHere(_ lane: StreamLane, _ subscriber: Subscriber, _ delivery: Delivery) -> Bool {
        switch lane.kind {
        case .sink, .immediate: true
        case .main: delivery == .onContext || subscriber.isMainImmediate
        case .queue, .custom: delivery == .onContext
        }
    }

    private mutating func giveBack(_ subscriber: Subscriber, _ count: Int) {
        guard subscriber.place == .running else { return leave(subscriber) }
        subscriber.lane?.running.remove(subscriber)
        goOn(subscriber, by: count)
    }

    private mutating func goOn(_ subscriber: Subscriber, by count: Int) {
        log.advance(&subscriber.position, by: count)
        subscriber.place = .waiting
        subscriber.lane?.insert(subscriber)
    }

    private mutating func rest(_ lane: StreamLane) -> Step {
        lane.rest()
        removeIfIdle(lane)
        return .done
    }

    /// The way to the context of a lane, and the number of the delivery that it is asked for.
    ///
    /// Nil when the context is gone.
    func handOver(_ lane: StreamLane) -> (_Route, turn: UInt64)? {
        guard let route = lane.route.take(forTheLastTime: end != nil) else { return nil }
        lane.begin(.handedOver)
        return (route, lane.turn)
    }

    /// The context has dropped the task: takes one after the other of those out who are left.
    mutating func abandon(_ lane: StreamLane) -> (Subscriber, Subscriber.Contents)? {
        guard let subscriber = lane.waiting.first ?? lane.watchers.first else {
            _ = rest(lane)
            return nil
        }
        takeOutWaiting(subscriber)
        return (subscriber, subscriber.takeContents())
    }

    // MARK: Being held

    /// The handle is gone: nobody will subscribe any more.
    mutating func letGo() {
        isHeld = false
        log.forgetHistory()
    }

    /// Whether nobody will ever see an element of an open stream any more.
    var isAbandoned: Bool { !isHeld && subscriberCount == 0 && end == nil }
}

/// How many elements a context is given before it gets round to its other tasks.
struct Pace {
    private var left = 64
    private var last: UInt64?

    /// Whether that is not the element that was delivered last.
    func isAnother(_ index: UInt64) -> Bool { last != nil && index != last }

    func hasTime(for index: UInt64) -> Bool { left > 0 || index == last }

    mutating func count(_ index: UInt64) {
        if index != last { left -= 1 }
        last = index
    }
}
