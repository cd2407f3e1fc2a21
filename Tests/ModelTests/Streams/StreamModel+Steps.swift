// What each step does.

extension StreamModel {
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
            link(source, to: target, on: place, under: token, holder: id) { [unowned self] element in
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
                Subscriber(to: stream, on: place, under: token, holder: id, wants: kind.wants) { [unowned self] in
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
            [unowned self] element in
            if let element = transform.applied(to: element, before: before) { emit(element, into: target) }
            before += 1
            if transform == .take, before == StreamProgram.slice { end(target, .finished) }
        }
    }

    private func start(_ kind: StreamProgram.Loop, _ id: Int, over stream: Node, _ limit: Int?) {
        var count = 0
        let subscriber = Subscriber(to: stream, under: nil, wants: { _ in true }) { [unowned self] event in
            seen.notes[id, default: []].append(event == .cancelled ? .cancellationError : event)
            count += 1
            guard let loop = loops[id], event != .finished, event != .cancelled else { return }
            if kind == .values, event.isFailure { finish(loop) } else if count == limit { finish(loop) }
        }
        loops[id] = subscriber
        subscribe(subscriber)
    }
}
