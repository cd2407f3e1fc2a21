// What is next for those who are to get the elements, lane by lane.

extension StreamState {
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
