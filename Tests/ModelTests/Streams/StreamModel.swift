/// The expected behavior of streams on one thread, implemented with arrays and without regard to speed.
///
/// Its closures hold it unowned: they run only during one of its steps. So none of its objects is left at the end.
final class StreamModel: StepRunner {
    typealias Subject = StreamProgram
    var nodes: [Int: Node] = [:]
    var heldStreams: Set<Int> = []
    var promises: Set<Int> = []
    var cancelled: Set<Int> = []
    var registered: [Subscriber] = []
    /// Subscribers whose contexts have yet to run.
    var late: [Subscriber] = []
    var loops: [Int: Subscriber] = [:]
    var iterators: [Int: Buffer] = [:]
    /// Elements that do not wait for a context.
    var parked: [Parked] = []
    var paces: [Pace] = []
    /// The inner streams that closures refer to.
    var inner: [Int: [Node]] = [:]
    var clock = ModelClock()
    var jobs: [Place: [() -> Void]] = [:]
    var seen = StreamObservations()

    init() {}

    var observations: StreamObservations {
        var result = seen
        for id in heldStreams {
            result.ends[id] = .some(nodes[id]?.end)
            result.kept[id] = nodes[id]?.history
        }
        result.dropped = iterators.mapValues(\.dropped)
        result.timers = clock.count
        return result
    }

    var living: Set<Int> {
        var found = Set(nodes.values.flatMap(\.history).map(\.number))
        late.removeAll { !$0.isAlive || $0.waiting.isEmpty }
        for subscriber in late { found.formUnion(subscriber.waiting.map(\.number)) }
        for parked in parked { found.formUnion(parked.elements.map(\.number)) }
        for iterator in iterators.values {
            found.formUnion(iterator.elements.map(\.number))
            if let lost = iterator.lostFailure { found.insert(lost.failure.number) }
        }
        return found
    }

    // MARK: Streams

    func emit(_ element: End, into node: Node) {
        guard node.end == nil else { return }
        node.history.append(element)
        if node.history.count > node.capacity { node.history.removeFirst() }
        for subscriber in node.subscribers { push(element, to: subscriber) }
        if node.isFuture { end(node, .finished) }
    }

    func end(_ node: Node, _ end: End) {
        guard node.end == nil else { return }
        node.end = end
        // Futures do not stop closures (promise 8): the closure of a `flatMap` to a stream still runs.
        for source in node.sources where !(source.stream.isFuture && source.holder != nil) { finish(source) }
        node.sources = []
        for cleanUp in node.atEnd { cleanUp() }
        node.atEnd = []
        for subscriber in node.subscribers { push(end, to: subscriber) }
        node.subscribers = []
    }

    func loseProducer(_ node: Node, cancelled: Bool = false) {
        guard node.end == nil else { return }
        node.producers -= 1
        if cancelled { node.wasCancelled = true }
        guard !node.isFuture else {
            if cancelled { end(node, .cancelled) } else if node.producers == 0 { emit(.broken, into: node) }
            return
        }
        if node.producers == 0 { end(node, node.wasCancelled ? .cancelled : .finished) }
    }

    @discardableResult
    func join(_ source: Node, to target: Node, under token: Int?) -> Subscriber? {
        guard target.end == nil else { return nil }
        target.producers += 1
        return link(source, to: target, on: .immediate, under: token, holder: nil) { [unowned self] in
            emit($0, into: target)
        }
    }

    /// Ends the subscription of a source that another one replaces.
    func leave(_ source: Subscriber, for target: Node) {
        guard source.isAlive else { return }
        finish(source)
        loseProducer(target)
    }

    @discardableResult
    func link(
        _ source: Node, to target: Node, on place: Place, under token: Int?, holder: Int?,
        _ run: @escaping (End) -> Void, atFinish: @escaping () -> Void = {}
    ) -> Subscriber {
        let subscriber = Subscriber(
            to: source, on: place, under: token, target: target, holder: holder
        ) { [unowned self] event in
            switch event {
            case .finished:
                atFinish()
                loseProducer(target)
            case .cancelled: loseProducer(target, cancelled: true)
            default:
                run(event)
                if source.isFuture { loseProducer(target) }
            }
        }
        subscribe(subscriber)
        return subscriber
    }

    func subscribe(_ subscriber: Subscriber) {
        subscriber.target?.sources.append(subscriber)
        if let token = subscriber.token {
            guard !cancelled.contains(token) else { return detach([subscriber]) }
            registered.append(subscriber)
        }
        if let holder = subscriber.holder { seen.held.insert(holder) }
        let stream = subscriber.stream
        if subscriber.wantsElements { stream.hadSubscriber = true }
        for element in stream.history { push(element, to: subscriber) }
        // A loop over values may have ended with a failure among them.
        guard subscriber.isAlive else { return }
        if let end = stream.end { push(end, to: subscriber) } else { stream.subscribers.append(subscriber) }
    }

    func push(_ event: End, to subscriber: Subscriber) {
        let isFuture = subscriber.stream.isFuture
        guard subscriber.isAlive, !isFuture || event != .finished else { return }
        // For a future's failure there is no closure to run.
        guard subscriber.place != .immediate, !isFuture || event.isSuccess else { return take(event, subscriber) }
        if subscriber.waiting.isEmpty { late.append(subscriber) }
        subscriber.waiting.append(event)
        jobs[subscriber.place, default: []].append { [unowned self] in
            subscriber.waiting.removeFirst()
            take(event, subscriber)
        }
    }

    func take(_ event: End, _ subscriber: Subscriber) {
        guard subscriber.isAlive else { return }
        if event == .finished || event == .cancelled || subscriber.stream.isFuture { finish(subscriber) }
        if subscriber.wants(event) { subscriber.run(event) }
    }

    func finish(_ subscriber: Subscriber) {
        subscriber.isAlive = false
        subscriber.stream.subscribers.removeAll { $0 === subscriber }
        if let holder = subscriber.holder { seen.held.remove(holder) }
    }

    func detach(_ subscribers: [Subscriber]) {
        for subscriber in subscribers { finish(subscriber) }
        for subscriber in subscribers { if let target = subscriber.target { end(target, .cancelled) } }
    }
}
