/// The state machine of a stream: its log, its mailboxes, its end.
///
/// It is pure: each transition returns the action to carry out after the lock is released.
///
///     open ──► finished | canceled                 end, once
///     idle ──► active ⇄ dispatched ──► idle        each mailbox by itself, one thread at a time
///
/// While a subscriber in a mailbox has elements or the end to receive, a thread is delivering to it or about to. New
/// elements are appended to the log, where the delivering thread finds them. That preserves the order.
struct StreamState: ~Copyable {
    var log: StreamLog
    /// How the stream has ended; nil while it is open.
    private(set) var end: StreamSignal?
    /// The number of producers.
    private var producers: UInt32 = 1
    /// Whether one of several sources was canceled.
    ///
    /// Then the stream ends as canceled when the last one ends.
    private var hasLostSource = false
    /// Whether new subscriptions and reads of the replay buffer are still possible.
    private(set) var isHeld = true
    private(set) var subscriberCount = 0
    /// The number of subscribers that receive elements.
    private(set) var listenerCount = 0
    /// Whether there ever was one.
    private(set) var hasHadListener = false
    /// The work that emits into the stream and is told about subscribers; nil when it has been stopped.
    var work: (any StreamWork)?
    /// The number of the current run, for sources that are started and stopped.
    var run: UInt64 = 0
    private var lastNumber: UInt64 = 0
    var mailboxes = Mailboxes()
    /// Subscribers of other streams that emit into this one.
    private var sources = LinkedList<StreamSource>()

    init(capacity: Int) { log = StreamLog(capacity: capacity) }

    // MARK: Emitting and ending

    /// The mailboxes that the caller must deliver.
    enum Wake {
        case nothing
        case one(Mailbox)
        case several([Mailbox])

        fileprivate mutating func add(_ mailbox: Mailbox) {
            switch self {
            case .nothing: self = .one(mailbox)
            case .one(let first): self = .several([first, mailbox])
            case .several(var mailboxes):
                // Otherwise there are two references to the array, and it is copied.
                self = .nothing
                mailboxes.append(mailbox)
                self = .several(mailboxes)
            }
        }
    }

    /// Appends an element.
    ///
    /// Returns false when the stream has ended.
    @inline(__always)
    mutating func append(_ signal: StreamSignal, _ write: (UnsafeMutableRawPointer) -> Void) -> Bool {
        guard end == nil else { return false }
        log.append(signal, write)
        return true
    }

    /// Returns the mailboxes to deliver after a thread has appended an element.
    func wakeForElement(_ thread: UnsafeRawPointer) -> Wake {
        wake { mailbox in
            mailbox.allowOneMore(thread)
            return !mailbox.waiting.isEmpty
        }
    }

    /// The only transition out of `open`.
    ///
    /// Returns nil when the stream has already ended.
    mutating func end(with signal: StreamSignal) -> Wake? {
        guard end == nil else { return nil }
        end = signal
        return wake { $0.count > 0 }
    }

    @inline(__always)
    private func wake(_ needsIt: (Mailbox) -> Bool) -> Wake {
        guard mailboxes.all.count > 1 else {
            guard let mailbox = mailboxes.only?.object, needsIt(mailbox), mailbox.activate() else { return .nothing }
            return .one(mailbox)
        }
        var woken = Wake.nothing
        for mailbox in mailboxes.all where needsIt(mailbox) && mailbox.activate() { woken.add(mailbox) }
        return woken
    }

    /// Returns the routes to contexts that have a task of an ended stream, to be released outside the lock.
    func closeRoutes() -> [_Route] { mailboxes.all.compactMap { takeRoute(of: $0) } }

    /// The same for one mailbox.
    func takeRoute(of mailbox: Mailbox) -> _Route? {
        guard mailbox.phase == .dispatched else { return nil }
        let left = mailbox.waiting.first.map { log.end.index - $0.position.index } ?? 0
        return mailbox.route.take(hasEnded: end != nil, isLastTask: left <= Pace.limit)
    }

    // MARK: Producers

    /// Returns false when the stream has ended and needs no producer.
    mutating func gainProducer() -> Bool {
        guard end == nil else { return false }
        producers += 1
        return true
    }

    /// Ends the stream if the last producer is gone; otherwise returns nil.
    mutating func loseProducer(cancelled: Bool) -> Wake? {
        guard end == nil else { return nil }
        if cancelled { hasLostSource = true }
        producers -= 1
        guard producers == 0 else { return nil }
        return end(with: hasLostSource ? .cancellation : .finish)
    }

    /// Returns false when the stream has ended and needs no source.
    mutating func add(_ source: StreamSource) -> Bool {
        guard end == nil else { return false }
        if source.joins { sources.prepend(owned: Unretained(holding: source)) } else { sources.append(source) }
        return true
    }

    mutating func remove(_ source: StreamSource) { sources.remove(source) }

    /// The streams that joined this one last.
    func joinedStreams(atMost count: Int) -> [StreamCore] {
        var found: [StreamCore] = []
        var source = sources.front
        while let current = source, current.object.joins, found.count < count {
            if let stream = current.object.joinedStream { found.append(stream) }
            source = sources.next(after: current)
        }
        return found
    }

    var allSources: [StreamSource] {
        var found: [StreamSource] = []
        sources.forEach { found.append($0) }
        return found
    }

    /// Removes a source of an ended stream.
    mutating func popSource() -> StreamSource? { sources.popFirst() }

    // MARK: Subscribing

    enum Addition {
        /// The subscriber was removed before it was added.
        case refused
        case waiting
        /// The caller must deliver.
        case deliver(Mailbox)
    }

    /// Adds a subscriber, positioned before the replay buffer.
    mutating func add(_ subscriber: Subscriber, _ key: MailboxKey, _ route: _Route) -> Addition {
        guard subscriber.place == .outside else { return .refused }
        let mailbox = mailboxes.mailbox(key, route)
        lastNumber += 1
        subscriber.number = lastNumber
        subscriber.mailbox = mailbox
        subscriber.place = .waiting
        subscriberCount += 1
        mailbox.count += 1
        var hasSomething = end != nil
        if subscriber.wantsEndOnly {
            mailbox.watchers.append(subscriber)
        } else {
            listenerCount += 1
            hasHadListener = true
            subscriber.position = log.join()
            mailbox.insert(owned: Unretained(holding: subscriber))
            hasSomething = hasSomething || !log.isAtEnd(subscriber.position)
        }
        return hasSomething && mailbox.activate() ? .deliver(mailbox) : .waiting
    }

    /// Removes a subscriber, or prevents it from being added.
    ///
    /// Returns nil if it was already removed.
    mutating func remove(_ subscriber: Subscriber) -> Subscriber.Contents? {
        switch subscriber.place {
        case .outside: subscriber.place = .done
        case .done: return nil
        case .waiting: takeOutWaiting(subscriber)
        case .running, .leaving:
            // Its position and its captures are released when its running body returns.
            subscriber.interrupt()
            _ = subscriber.mailbox?.running.take(subscriber)
            retire(subscriber)
            return subscriber.contents
        }
        return subscriber.takeContents()
    }

    /// Removes a subscriber whose target is about to get its last element, or has no use for one.
    ///
    /// If its body is running, a token can still cancel the target; but it no longer counts as a listener. Returns nil if
    /// it was already removed.
    mutating func removeEarly(_ subscriber: Subscriber) -> Subscriber.Contents? {
        switch subscriber.place {
        case .leaving: return nil
        case .running:
            subscriber.interrupt()
            subscriber.place = .leaving
            listenerCount -= 1
            return subscriber.contents
        case .outside, .waiting, .done: return remove(subscriber)
        }
    }

    mutating func takeOutWaiting(_ subscriber: Subscriber) {
        if subscriber.wantsEndOnly {
            subscriber.mailbox?.watchers.remove(subscriber)
        } else {
            subscriber.mailbox?.remove(subscriber)
            leave(subscriber)
        }
        retire(subscriber)
    }

    /// Releases the position, so that a reference to the subscriber does not keep the log alive.
    mutating func leave(_ subscriber: Subscriber) {
        log.leave(&subscriber.position)
        subscriber.position = StreamPosition()
    }

    private mutating func retire(_ subscriber: Subscriber) {
        subscriberCount -= 1
        if subscriber.place != .leaving, !subscriber.wantsEndOnly { listenerCount -= 1 }
        subscriber.place = .done
        guard let mailbox = subscriber.mailbox.take() else { return }
        mailbox.count -= 1
        mailboxes.removeIfIdle(mailbox)
    }

    /// All subscribers that were registered with a token.
    func subscribers(under token: CancelToken) -> [SubscriberLink] {
        var found: [SubscriberLink] = []
        for mailbox in mailboxes.all {
            for list in [mailbox.waiting, mailbox.running, mailbox.watchers] {
                list.forEach { if let link = $0.link, link.token === token { found.append(link) } }
            }
        }
        return found
    }

    // MARK: Being held

    /// Called when the handle is released: no more subscriptions are possible.
    mutating func letGo() {
        isHeld = false
        log.forgetHistory()
    }

    /// Whether the stream is open, has no subscribers and cannot get any.
    ///
    /// Once it has had a listener, only listeners count. Before that, callbacks for the end count too: for them alone
    /// the timer of `stream.timeout(1).onFinish { … }` goes on.
    var isUnseen: Bool { !isHeld && end == nil && (hasHadListener ? listenerCount : subscriberCount) == 0 }

    /// Whether the stream is unseen and has had subscribers: then it leaves its sources (promise 8).
    ///
    /// A stream that never had a subscriber continues to run its closure: `stream.map { log($0) }`.
    var isDeserted: Bool { isUnseen && hasHadListener && !sources.isEmpty }
}
