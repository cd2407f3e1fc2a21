// The effect of each step.

extension StreamModel {
    func run(_ step: StreamProgram.Step) {
        act(step)
        abandonUnseen()
    }

    private func act(_ step: StreamProgram.Step) {
        let id = step.id
        switch step.operation {
        case .promise(let capacity):
            add(Node(capacity: capacity), id)
            promises.insert(id)
        case .future:
            add(Node(capacity: 1, isFuture: true), id)
            promises.insert(id)
        case .transform(let transform, let source, let place, let token):
            guard let source = held(source) else { return }
            let target = add(Node(capacity: source.capacity), id)
            if transform.isPaced { return pace(transform, from: source, to: target, under: token) }
            derive(transform, from: source, to: target, id, on: transform.takesClosure ? place : .immediate, token)
        case .flatMap(let source, let inner, let isRecovery, let place, let token):
            guard let source = held(source), let inner = held(inner) else { return }
            let target = add(Node(capacity: source.isFuture ? .max : source.capacity), id)
            self.inner[id] = [inner]
            link(source, to: target, on: place, under: token, holder: id) { [unowned self] element in
                guard element.isSuccess != isRecovery else { return emit(element, into: target) }
                join(inner, to: target, under: token)
            }
        case .flatMapLatest(let source, let inner, let place, let token):
            let inner = inner.compactMap { held($0) }
            guard let source = held(source), inner.count == step.operation.sources.count - 1 else { return }
            let target = add(Node(capacity: source.capacity), id)
            self.inner[id] = inner
            var latest: Subscriber?
            var count = 0
            link(source, to: target, on: place, under: token, holder: id) { [unowned self] element in
                guard element.isSuccess else { return emit(element, into: target) }
                if let latest { leave(latest, for: target) }
                latest = join(inner[count % inner.count], to: target, under: nil)
                count += 1
            }
        case .merge(let sources, let token):
            let inputs = sources.compactMap { held($0) }
            guard inputs.count == sources.count, let first = inputs.first else { return }
            let target = add(Node(capacity: first.capacity), id)
            for input in inputs { join(input, to: target, under: token) }
            loseProducer(target)
        case .pair(let pairing, let first, let second, let token):
            guard let first = held(first), let second = held(second) else { return }
            let target = add(Node(capacity: first.capacity), id)
            if pairing == .zip { return zip(first, second, to: target, under: token) }
            combine(pairing, first, second, to: target, under: token)

        case .first(let source, let token):
            guard let source = held(source) else { return }
            complete(addFuture(id), withFirstOf: source, under: token)
        case .reduce(let source, let place, let token):
            guard let source = held(source) else { return }
            reduce(source, to: addFuture(id), id, on: place, token)
        case .emit(let target, let isSuccess):
            guard promises.contains(target), let node = nodes[target] else { return }
            emit(isSuccess ? .success(id) : .failure(id), into: node)
        case .finish(let target):
            guard promises.contains(target), let node = nodes[target] else { return }
            end(node, .finished)
        case .completeWith(let target, let source):
            guard promises.contains(target), let node = nodes[target], let source = held(source) else { return }
            if node.isFuture { complete(node, withFirstOf: source) } else { join(source, to: node, under: nil) }
        case .dropPromise(let id):
            guard promises.remove(id) != nil, let node = nodes[id] else { return }
            loseProducer(node)
        case .dropStream(let id): heldStreams.remove(id)

        case .listen(let stream, let kind, let place, let token):
            guard let stream = held(stream) else { return }
            let subscriber = Subscriber(to: stream, on: place, under: token, holder: id, wants: kind.wants) {
                [unowned self] in seen.notes[id, default: []].append($0)
            }
            subscriber.wantsElements = kind != .finish && kind != .cancel
            subscribe(subscriber)

        case .token: break
        case .cancel(let token):
            guard cancelled.insert(token).inserted else { return }
            detach(registered.filter { $0.isAlive && $0.token == token })
        case .cancelOn(let stream, let token):
            guard let node = held(stream) else { return }
            let found = registered.filter { $0.isAlive && $0.token == token && $0.stream === node }
            seen.answers[id] = !found.isEmpty
            detach(found)

        case .loop(let loop, let stream, let limit, _):
            guard let stream = held(stream) else { return }
            start(loop, id, over: stream, limit)
        case .cancelTask(let task):
            guard let loop = loops[task], loop.isAlive else { return }
            finish(loop)
            endLoop(task, .cancellationError)
        case .iterator(let loop, let stream, let buffering):
            guard let stream = held(stream) else { return }
            iterators[id] = iterate(loop, over: stream, buffering)
        case .pull(let iterator, let count):
            guard let buffer = iterators[iterator] else { return }
            for _ in 0..<count {
                guard let next = buffer.next(close: { [unowned self] in finish($0) }) else { break }
                seen.notes[iterator, default: []].append(next)
            }
            seen.pulled.insert(id)
        case .dropIterator(let iterator):
            if let subscriber = iterators.removeValue(forKey: iterator)?.subscriber { finish(subscriber) }

        case .drain(let place):
            while !(jobs[place] ?? []).isEmpty { jobs[place]?.removeFirst()() }
        case .advance: advance()
        }
    }

    @discardableResult
    private func add(_ node: Node, _ id: Int) -> Node {
        nodes[id] = node
        heldStreams.insert(id)
        return node
    }

    private func addFuture(_ id: Int) -> Node {
        let future = Node(capacity: 1, isFuture: true)
        future.leavesSource = true
        return add(future, id)
    }

    private func held(_ id: Int) -> Node? { heldStreams.contains(id) ? nodes[id] : nil }

    /// Lets the first element of a stream complete a future.
    ///
    /// When the future is completed in any way, the stream is unsubscribed.
    private func complete(_ future: Node, withFirstOf stream: Node, under token: Int? = nil) {
        guard future.end == nil else { return }
        future.producers += 1
        let subscriber = Subscriber(to: stream, under: token, target: future) {
            [unowned self] event in
            switch event {
            case .finished: emit(.noSuchElement, into: future)
            case .cancelled: end(future, .cancelled)
            default: emit(event, into: future)
            }
        }
        subscribe(subscriber)
    }

    private func reduce(_ stream: Node, to future: Node, _ id: Int, on place: Place, _ token: Int?) {
        var elements: [End] = []
        let subscriber = Subscriber(
            to: stream, on: place, under: token, target: future, holder: id
        ) { [unowned self] event in
            switch event {
            case .finished: emit(Transformation.reduce(elements), into: future)
            case .cancelled: end(future, .cancelled)
            default:
                elements.append(event)
                let result = Transformation.reduce(elements)
                if result.isFailure { emit(result, into: future) }
            }
        }
        subscribe(subscriber)
    }

    private func derive(
        _ transform: StreamProgram.Transform, from source: Node, to target: Node, _ id: Int, on place: Place,
        _ token: Int?
    ) {
        var transformation = Transformation(transform)
        let last = park(until: target)
        link(source, to: target, on: place, under: token, holder: transform.takesClosure ? id : nil) {
            [unowned self] element in
            let result = transformation.apply(element)
            last.elements = [transformation.last.map { .success($0) }].compactMap { $0 }
            if let result { emit(result, into: target) }
            if transform == .take, transformation.count == StreamProgram.slice { end(target, .finished) }
        }
    }

    private func start(_ kind: StreamProgram.Loop, _ id: Int, over stream: Node, _ limit: Int?) {
        var count = 0
        let subscriber = Subscriber(to: stream, under: nil) { [unowned self] event in
            count += 1
            let isLast = event == .finished || event == .cancelled || count == limit
            let event = event == .cancelled ? .cancellationError : event
            guard isLast || (kind == .values && event.isFailure) else {
                seen.notes[id, default: []].append(event)
                return
            }
            if let loop = loops[id] { finish(loop) }
            endLoop(id, event)
        }
        loops[id] = subscriber
        subscribe(subscriber)
    }

    private func endLoop(_ id: Int, _ event: End) {
        seen.notes[id, default: []].append(event)
        seen.pulled.insert(id)
    }
}
