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
        /// The body runs on the spot, with each of the elements. The subscriber is given back with the next call.
        case run(Served)
        /// The subscriber was taken out, and gets the end.
        case end(Subscriber, Subscriber.Contents, StreamSignal)
    }

    /// A subscriber whose body runs, and the elements it runs with.
    struct Served {
        /// The reference to it that was the list's.
        let subscriber: Unmanaged<Subscriber>
        let slots: UnsafeMutablePointer<StreamSlot>
        /// How many elements lie there for it.
        let count: Int
        /// How many of them it has had.
        var done = 0
    }

    /// What is next in a lane.
    ///
    /// One subscriber at a time, so that whatever a body does to the later ones, canceling them for instance, takes
    /// effect. If it is the only one, it gets several elements, unless it is interrupted.
    ///
    /// - Parameters:
    ///   - lane: The lane that the caller delivers.
    ///   - turn: The number of the caller's delivery; 0 if it has just begun.
    ///   - previous: The subscriber whose body has returned; nil afterwards, if it was given back. If not, it was taken
    ///     out meanwhile, and the caller releases it.
    ///   - delivery: Where the caller is.
    ///   - pauses: Whether something waits that is to come before another element.
    ///   - stops: Whether the caller goes on no longer, and others may.
    ///   - thread: Which thread the caller is.
    ///   - extraAllowance: How many elements of others it delivers.
    mutating func next(
        in lane: StreamLane, _ turn: inout UInt64, after previous: inout Served?, _ delivery: Delivery,
        pauses: Bool, stops: Bool = false, on thread: UnsafeRawPointer,
        _ extraAllowance: UInt64 = StreamLane.extraAllowance
    ) -> Step {
        if let served = previous, giveBack(served) { previous = nil }
        if turn == 0 {
            turn = lane.turn
        } else if lane.turn != turn || lane.phase == .idle {
            // The body has waited for something, and others could deliver meanwhile. If these are at it, they go on.
            guard lane.activate() else { return .done }
            turn = lane.turn
        }
        if stops {
            lane.rest()
            return .done
        }
        if delivery == .here { lane.allow(thread, upTo: log.end.index, extraAllowance) }
        var skipped = 0
        while let subscriber = lane.waiting.first {
            guard isHere(lane, subscriber, delivery) else { return .handOver }
            let index = subscriber.position.index
            guard !log.isAtEnd(subscriber.position) else {
                guard let end else { return rest(lane) }
                takeOutWaiting(subscriber)
                return .end(subscriber, subscriber.takeContents(), end)
            }
            if pauses, lane.pace.isAnother(index) { return .pause }
            guard delivery == .here || !lane.route.isOpen || lane.pace.hasTime(for: index) else { return .handOver }
            if delivery == .here, lane.kind != .sink, lane.allowance(from: index) == 0 { return .handOver }
            let slot = log.slot(at: &subscriber.position)
            if subscriber.contents.target == nil, !subscriber.interest.contains(slot.pointee.signal) {
                lane.pace.count(1, from: index)
                skip(subscriber)
                skipped += 1
                if skipped == 64 { return .goOn }
                continue
            }
            lane.start(subscriber)
            subscriber.start()
            var count = log.run(from: subscriber.position)
            if lane.kind != .sink {
                let most = delivery == .here ? lane.allowance(from: index) : lane.pace.most(from: index)
                count = lane.waiting.isEmpty ? min(count, most) : 1
            }
            return .run(Served(subscriber: .passUnretained(subscriber), slots: slot, count: count))
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

    /// Moves a subscriber back behind those who have the same element before them; false if it was taken out meanwhile.
    private mutating func giveBack(_ served: Served) -> Bool {
        let subscriber = served.subscriber.takeUnretainedValue()
        guard subscriber.place == .running, let lane = subscriber.lane else {
            leave(subscriber)
            return false
        }
        lane.pace.count(served.done, from: subscriber.position.index)
        log.advance(&subscriber.position, by: served.done)
        lane.giveBack(subscriber)
        return true
    }

    private mutating func skip(_ subscriber: Subscriber) {
        guard let lane = subscriber.lane else { return }
        lane.start(subscriber)
        log.advance(&subscriber.position, by: 1)
        lane.giveBack(subscriber)
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
        guard let route = takeRoute(of: lane) else { return nil }
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
    static let limit = 64

    private var left = Pace.limit
    private var last: UInt64?

    /// Whether that is not the element that was delivered last.
    func isAnother(_ index: UInt64) -> Bool { last != nil && index != last }

    func hasTime(for index: UInt64) -> Bool { left > 0 || index == last }

    /// How many elements there is time for, of which the first may have been delivered to another one.
    func most(from index: UInt64) -> Int { max(1, index == last ? left + 1 : left) }

    mutating func count(_ number: Int, from index: UInt64) {
        guard number > 0 else { return }
        left -= index == last ? number - 1 : number
        last = index + UInt64(number - 1)
    }
}
