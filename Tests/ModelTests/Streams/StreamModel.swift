/// What streams should do, on one thread: with arrays, and without any thought of speed.
final class StreamModel {
    private final class Node {
        let capacity: Int
        var history: [End] = []
        var end: End?
        var producers: Int
        var wasCancelled = false
        var subscribers: [Subscriber] = []
        /// What emits into it, and is cut off when it ends.
        var sources: [Subscriber] = []

        init(capacity: Int, producers: Int = 1) {
            self.capacity = capacity
            self.producers = producers
        }
    }

    private final class Subscriber {
        let stream: Node
        let place: Place
        let token: Int?
        let target: Node?
        let holder: Int?
        var isAlive = true
        /// Elements and ends whose time on the context has not come.
        var waiting: [End] = []
        let wants: (End) -> Bool
        let run: (End) -> Void

        init(
            to stream: Node, on place: Place = .immediate, under token: Int?, target: Node? = nil, holder: Int? = nil,
            wants: @escaping (End) -> Bool, run: @escaping (End) -> Void
        ) {
            self.stream = stream
            self.place = place
            self.token = token
            self.target = target
            self.holder = holder
            self.wants = wants
            self.run = run
        }
    }

    private var nodes: [Int: Node] = [:]
    private var heldStreams: Set<Int> = []
    private var promises: Set<Int> = []
    private var cancelled: Set<Int> = []
    private var registered: [Subscriber] = []
    private var loops: [Int: Subscriber] = [:]
    private var jobs: [Place: [() -> Void]] = [:]
    private var seen = StreamObservations()

    init() {}

    var observations: StreamObservations {
        var result = seen
        for id in heldStreams {
            result.ends[id] = .some(nodes[id]?.end)
            result.kept[id] = nodes[id]?.history
        }
        return result
    }

    // MARK: Steps

    func run(_ step: StreamProgram.Step) {
        let id = step.id
        switch step.operation {
        case .promise(let capacity):
            add(Node(capacity: capacity), id)
            promises.insert(id)
        case .transform(let transform, let source, let place, let token):
            guard let source = held(source) else { return }
            let target = add(Node(capacity: source.capacity), id)
            derive(transform, from: source, to: target, id, on: transform.takesClosure ? place : .immediate, token)
        case .flatMap(let source, let inner, let place, let token):
            guard let source = held(source), let inner = held(inner) else { return }
            let target = add(Node(capacity: source.capacity), id)
            link(source, to: target, on: place, under: token, holder: id) { [self] element in
                guard element.isSuccess else { return emit(element, into: target) }
                join(inner, to: target, under: token)
            }
        case .merge(let sources, let token):
            let inputs = sources.compactMap { held($0) }
            guard inputs.count == sources.count, let first = inputs.first else { return }
            let target = add(Node(capacity: first.capacity), id)
            for input in inputs { join(input, to: target, under: token) }
            loseProducer(target)

        case .emit(let target, let isSuccess):
            guard promises.contains(target), let node = nodes[target] else { return }
            emit(isSuccess ? .success(id) : .failure(id), into: node)
        case .finish(let target):
            guard promises.contains(target), let node = nodes[target] else { return }
            end(node, .finished)
        case .completeWith(let target, let source):
            guard promises.contains(target), let node = nodes[target], let source = held(source) else { return }
            join(source, to: node, under: nil)
        case .dropPromise(let id):
            guard promises.remove(id) != nil, let node = nodes[id] else { return }
            loseProducer(node)
        case .dropStream(let id): heldStreams.remove(id)

        case .listen(let stream, let kind, let place, let token):
            guard let stream = held(stream) else { return }
            subscribe(
                Subscriber(to: stream, on: place, under: token, holder: id, wants: kind.wants) { [self] in
                    seen.notes[id, default: []].append($0)
                })

        case .token: break
        case .cancel(let token):
            guard cancelled.insert(token).inserted else { return }
            detach(registered.filter { $0.isAlive && $0.token == token })
        case .cancelOn(let stream, let token):
            guard let node = held(stream) else { return }
            let found = registered.filter { $0.isAlive && $0.token == token && $0.stream === node }
            seen.answers[id] = !found.isEmpty
            detach(found)

        case .loop(let loop, let stream, let limit):
            guard let stream = held(stream) else { return }
            start(loop, id, over: stream, limit)
        case .cancelTask(let task):
            guard let loop = loops[task], loop.isAlive else { return }
            finish(loop)
            seen.notes[task, default: []].append(.cancellationError)

        case .drain(let place):
            while !(jobs[place] ?? []).isEmpty { jobs[place]?.removeFirst()() }
        }
    }

    @discardableResult
    private func add(_ node: Node, _ id: Int) -> Node {
        nodes[id] = node
        heldStreams.insert(id)
        return node
    }

    private func held(_ id: Int) -> Node? { heldStreams.contains(id) ? nodes[id] : nil }

    private func derive(
        _ transform: StreamProgram.Transform, from source: Node, to target: Node, _ id: Int, on place: Place,
        _ token: Int?
    ) {
        var before = 0
        link(source, to: target, on: place, under: token, holder: transform.takesClosure ? id : nil) {
            [self] element in
            if let element = transform.applied(to: element, before: before) { emit(element, into: target) }
            before += 1
            if transform == .take, before == StreamProgram.slice { end(target, .finished) }
        }
    }

    private func start(_ loop: StreamProgram.Loop, _ id: Int, over stream: Node, _ limit: Int?) {
        var count = 0
        var itself: Subscriber?
        let subscriber = Subscriber(to: stream, under: nil, wants: { _ in true }) { [self] event in
            seen.notes[id, default: []].append(event == .cancelled ? .cancellationError : event)
            count += 1
            guard let itself, event != .finished, event != .cancelled else { return }
            if loop == .values, event.isFailure { finish(itself) } else if count == limit { finish(itself) }
        }
        itself = subscriber
        loops[id] = subscriber
        subscribe(subscriber)
        itself = subscriber.isAlive ? subscriber : nil
    }

    // MARK: Streams

    private func emit(_ element: End, into node: Node) {
        guard node.end == nil else { return }
        node.history.append(element)
        if node.history.count > node.capacity { node.history.removeFirst() }
        for subscriber in node.subscribers { push(element, to: subscriber) }
    }

    private func end(_ node: Node, _ end: End) {
        guard node.end == nil else { return }
        node.end = end
        for source in node.sources { finish(source) }
        node.sources = []
        for subscriber in node.subscribers { push(end, to: subscriber) }
        node.subscribers = []
    }

    private func loseProducer(_ node: Node, cancelled: Bool = false) {
        guard node.end == nil else { return }
        node.producers -= 1
        if cancelled { node.wasCancelled = true }
        if node.producers == 0 { end(node, node.wasCancelled ? .cancelled : .finished) }
    }

    private func join(_ source: Node, to target: Node, under token: Int?) {
        guard target.end == nil else { return }
        target.producers += 1
        link(source, to: target, on: .immediate, under: token, holder: nil, joins: true) { [self] in
            emit($0, into: target)
        }
    }

    private func link(
        _ source: Node, to target: Node, on place: Place, under token: Int?, holder: Int?, joins: Bool = false,
        _ run: @escaping (End) -> Void
    ) {
        let subscriber = Subscriber(
            to: source, on: place, under: token, target: target, holder: holder, wants: { _ in true }
        ) { [self] event in
            switch event {
            case .finished: loseProducer(target)
            case .cancelled: if joins { loseProducer(target, cancelled: true) } else { end(target, .cancelled) }
            default: run(event)
            }
        }
        target.sources.append(subscriber)
        subscribe(subscriber)
    }

    private func subscribe(_ subscriber: Subscriber) {
        if let token = subscriber.token {
            guard !cancelled.contains(token) else { return detach([subscriber]) }
            registered.append(subscriber)
        }
        if let holder = subscriber.holder { seen.held.insert(holder) }
        let stream = subscriber.stream
        for element in stream.history { push(element, to: subscriber) }
        if let end = stream.end { push(end, to: subscriber) } else { stream.subscribers.append(subscriber) }
    }

    private func push(_ event: End, to subscriber: Subscriber) {
        guard subscriber.isAlive else { return }
        guard subscriber.place != .immediate else { return take(event, subscriber) }
        jobs[subscriber.place, default: []].append { [self] in take(event, subscriber) }
    }

    private func take(_ event: End, _ subscriber: Subscriber) {
        guard subscriber.isAlive else { return }
        if event == .finished || event == .cancelled { finish(subscriber) }
        if subscriber.wants(event) { subscriber.run(event) }
    }

    private func finish(_ subscriber: Subscriber) {
        subscriber.isAlive = false
        subscriber.stream.subscribers.removeAll { $0 === subscriber }
        if let holder = subscriber.holder { seen.held.remove(holder) }
    }

    private func detach(_ subscribers: [Subscriber]) {
        for subscriber in subscribers { finish(subscriber) }
        for subscriber in subscribers { if let target = subscriber.target { end(target, .cancelled) } }
    }
}
