// Finds the next step of a delivery, for one mailbox at a time.

extension StreamState {
    enum Step {
        /// The caller has nothing left to do.
        case done
        /// The caller must dispatch the rest to the context.
        case dispatch
        /// Elements were skipped, and other threads may take the lock.
        case goOn
        /// The callbacks that the element before has caused come first.
        case pause
        /// The caller stops as it wished. It still owns the delivery of what is left.
        case stopped
        /// The body runs now, with each of the elements. The subscriber is given back in the next call.
        case run(Served)
        /// The subscriber was removed, and gets the end; the caller owns the reference.
        case end(Unretained<Subscriber>, StreamSignal)
    }

    /// A subscriber whose body runs, and the elements that it gets.
    struct Served {
        /// The list's reference to the subscriber.
        let subscriber: Unretained<Subscriber>
        let slots: UnsafeMutablePointer<StreamSlot>
        /// The number of contiguous elements for it.
        let count: Int
        /// How many of them it has received.
        var done = 0
    }

    /// Returns the next step of a mailbox's delivery.
    ///
    /// Subscribers run one at a time, so that a body can still cancel later ones. If there is only one, it gets several
    /// elements, unless it is interrupted.
    ///
    /// Inside a callback that waits there is no limit, since its context can run nothing else (promise 11). Then each
    /// step has one element, so that the wait ends in time.
    ///
    /// - Parameters:
    ///   - mailbox: The mailbox to deliver.
    ///   - turn: The number of the caller's delivery; 0 if it has just begun.
    ///   - previous: The subscriber whose body has returned. Set to nil if it was given back; otherwise it was removed
    ///     in the meantime, and the caller releases it.
    ///   - delivery: Where the caller delivers.
    ///   - pauses: Whether other callbacks must run before the next element.
    ///   - isAgain: Whether it is a callback that waits which delivers.
    ///   - stops: Whether the caller wishes to stop.
    ///   - thread: The state of the caller's thread.
    ///   - extraAllowance: How many elements from other threads it delivers.
    mutating func next(
        in mailbox: Mailbox, _ turn: inout UInt64, after previous: inout Served?, _ delivery: DeliveryPlace,
        pauses: Bool, isAgain: Bool = false, stops: Bool = false, on thread: UnsafeRawPointer,
        _ extraAllowance: UInt64 = Mailbox.extraAllowance
    ) -> Step {
        if let served = previous, giveBack(served, to: mailbox) { previous = nil }
        if turn == 0 {
            turn = mailbox.turn
        } else if mailbox.turn != turn || mailbox.phase == .idle {
            // The body has waited, and other threads could deliver in the meantime. If one of them is still delivering,
            // it continues.
            guard mailbox.activate() else { return .done }
            turn = mailbox.turn
        }
        if stops { return hasMore(mailbox) ? .stopped : rest(mailbox) }
        if delivery == .here { mailbox.allow(thread, upTo: log.end.index, extraAllowance) }
        // After some elements that no subscriber wants, other threads may take the lock.
        for _ in 0..<64 {
            guard let subscriber = mailbox.waiting.front else { return nextWatcher(in: mailbox, delivery) }
            let step = subscriber.use { next(for: $0, in: mailbox, delivery, pauses: pauses, isAgain: isAgain) }
            if let step { return step }
        }
        return .goOn
    }

    /// The step for the first subscriber; nil if it does not want its next element, which was skipped.
    private mutating func next(
        for subscriber: Subscriber, in mailbox: Mailbox, _ delivery: DeliveryPlace, pauses: Bool, isAgain: Bool
    ) -> Step? {
        guard isHere(mailbox, subscriber, delivery) else { return .dispatch }
        let index = subscriber.position.index
        guard !log.isAtEnd(subscriber.position) else { return end.map { takeOut(subscriber, $0) } ?? rest(mailbox) }
        if pauses, mailbox.pace.isAnother(index) { return .pause }
        if !isAgain, isOverLimit(mailbox, index, delivery) { return .dispatch }
        let slot = log.slot(at: &subscriber.position)
        mailbox.start(subscriber)
        if subscriber.contents.target == nil, !subscriber.interest.contains(slot.pointee.signal) {
            mailbox.pace.count(1, from: index)
            log.advance(&subscriber.position, by: 1)
            mailbox.giveBack(subscriber)
            return nil
        }
        subscriber.start()
        var count = log.run(from: subscriber.position)
        if mailbox.kind != .sink {
            let most = delivery == .here ? mailbox.allowance(from: index) : mailbox.pace.most(from: index)
            count = mailbox.waiting.isEmpty && !isAgain ? min(count, most) : 1
        }
        return .run(Served(subscriber: Unretained(subscriber), slots: slot, count: count))
    }

    /// In a mailbox the end comes after the last element.
    private mutating func nextWatcher(in mailbox: Mailbox, _ delivery: DeliveryPlace) -> Step {
        guard let end, mailbox.running.isEmpty, let watcher = mailbox.watchers.first else { return rest(mailbox) }
        return isHere(mailbox, watcher, delivery) ? takeOut(watcher, end) : .dispatch
    }

    private mutating func takeOut(_ subscriber: Subscriber, _ end: StreamSignal) -> Step {
        let owned = Unretained(holding: subscriber)
        takeOutWaiting(subscriber)
        return .end(owned, end)
    }

    /// Whether the rest, from an element on, is for another thread, or for another task of the context.
    ///
    /// Sinks have no limit: when all emitting threads have returned, each loop has all elements or has counted them.
    private func isOverLimit(_ mailbox: Mailbox, _ index: UInt64, _ delivery: DeliveryPlace) -> Bool {
        switch delivery {
        case .here: mailbox.kind != .sink && mailbox.allowance(from: index) == 0
        case .onContext: mailbox.route.isOpen && !mailbox.pace.hasTime(for: index)
        }
    }

    private func isHere(_ mailbox: Mailbox, _ subscriber: Subscriber, _ delivery: DeliveryPlace) -> Bool {
        switch mailbox.kind {
        case .sink, .immediate: true
        case .main: delivery == .onContext || subscriber.isMainImmediate && MainQueue.isCurrent
        case .queue, .custom: delivery == .onContext
        }
    }

    /// Moves a subscriber behind the others that wait for the same element.
    ///
    /// Returns false if it was removed in the meantime.
    private mutating func giveBack(_ served: Served, to mailbox: Mailbox) -> Bool {
        served.subscriber.use { subscriber in
            guard subscriber.place == .running else {
                if subscriber.place == .leaving { _ = remove(subscriber) }
                leave(subscriber)
                return false
            }
            mailbox.pace.count(served.done, from: subscriber.position.index)
            log.advance(&subscriber.position, by: served.done)
            mailbox.giveBack(subscriber)
            return true
        }
    }

    private mutating func rest(_ mailbox: Mailbox) -> Step {
        mailbox.rest()
        mailboxes.removeIfIdle(mailbox)
        return .done
    }

    /// Whether there is something to deliver: an element, or the end.
    private func hasMore(_ mailbox: Mailbox) -> Bool {
        let isBehind = mailbox.waiting.first.map { !log.isAtEnd($0.position) } ?? false
        return isBehind || end != nil && mailbox.count > 0
    }

    /// Lets other threads deliver what a stopped delivery has left.
    mutating func giveUp(_ mailbox: Mailbox) { _ = rest(mailbox) }

    /// Whether the next element is another one than the last that was delivered.
    func isAtAnotherElement(_ mailbox: Mailbox) -> Bool {
        mailbox.waiting.first.map { mailbox.pace.isAnother($0.position.index) } ?? true
    }

    /// Marks a mailbox as dispatched.
    ///
    /// Returns the route to its context and the number of the delivery; nil when the context was released.
    func dispatch(_ mailbox: Mailbox) -> (_Route, turn: UInt64)? {
        guard let route = mailbox.route.open else { return nil }
        mailbox.begin(.dispatched)
        return (route, mailbox.turn)
    }

    /// Removes the remaining subscribers one by one, after the context has dropped the task.
    mutating func abandon(_ mailbox: Mailbox) -> (Subscriber, Subscriber.Contents)? {
        guard let subscriber = mailbox.waiting.first ?? mailbox.watchers.first else {
            _ = rest(mailbox)
            return nil
        }
        takeOutWaiting(subscriber)
        return (subscriber, subscriber.takeContents())
    }
}

/// Limits how many elements a context delivers before it runs its other tasks.
struct Pace {
    static let limit = 64

    private var left = Pace.limit
    private var last: UInt64?

    /// Whether this is not the element delivered last.
    func isAnother(_ index: UInt64) -> Bool { last != nil && index != last }

    func hasTime(for index: UInt64) -> Bool { left > 0 || index == last }

    /// How many elements from an index on may be delivered.
    ///
    /// The first may already have been delivered to another subscriber.
    func most(from index: UInt64) -> Int { max(1, index == last ? left + 1 : left) }

    mutating func count(_ number: Int, from index: UInt64) {
        guard number > 0 else { return }
        left -= index == last ? number - 1 : number
        last = index + UInt64(number - 1)
    }
}
