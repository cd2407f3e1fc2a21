// The effect of each step.

extension FutureModel {
    func run(_ step: FutureProgram.Step) {
        defer { letLeave() }
        let id = step.id
        switch step.operation {
        case .promise, .bare, .value, .transform, .flatMap, .gather, .retry, .timeout, .delay, .asyncFuture: make(step)

        case .complete(let target, let isSuccess):
            if let node = completable(target) { settle(node, isSuccess ? .success(id) : .failure(id)) }
        case .tryComplete(let target, let isSuccess):
            guard let node = completable(target) else { return }
            seen.answers[id] = node.end == nil
            settle(node, isSuccess ? .success(id) : .failure(id))
        case .completeWith(let target, let source):
            guard promises.contains(target), let node = nodes[target], let source = held(source) else { return }
            guard node.end == nil else { return }
            node.producers += 1
            // The link is removed when the target has ended.
            let link = Observer(under: nil, target: node) { [unowned self] in settle(node, $0) }
            observe(source, link)
            observe(node, Observer(under: nil) { _ in link.isAlive = false })
        case .dropPromise(let id):
            guard promises.remove(id) != nil, let node = nodes[id] else { return }
            loseProducer(node)
        case .dropFuture(let id):
            guard heldFutures.remove(id) != nil, bare.remove(id) != nil, let node = nodes[id] else { return }
            // The future can no longer be completed.
            settle(node, .broken)

        case .listen(let future, let kind, let place, let token, let target):
            guard let source = held(future) else { return }
            observe(
                source,
                Observer(kind, on: place, under: token, holder: id) { [unowned self] end in
                    seen.notes[id, default: []].append(end)
                    if place.isSerial { seen.orders["f\(future) on \(place)", default: []].append(id) }
                    if let target, promises.contains(target), let node = nodes[target] {
                        seen.answers[id] = node.end == nil
                        settle(node, .success(id))
                    }
                })

        case .token: break
        case .child(let parent):
            parents[id] = parent
            if cancelled.contains(parent) { cancelled.insert(id) }
        case .handler(let token):
            if cancelled.contains(token) {
                seen.handlers[id] = 1
            } else {
                handlers.append((token, id))
                seen.held.insert(id)
            }
        case .cancel(let token): cancel(token)
        case .cancelOn(let future, let token):
            guard let node = held(future) else { return }
            let found = registered.filter { $0.node === node && $0.observer.token == token && $0.observer.isAlive }
            seen.answers[id] = !found.isEmpty
            detach(found.map(\.observer))

        case .await(let future, let token, let abandons):
            guard let node = held(future) else { return }
            let observer = Observer(under: nil) { [unowned self] end in
                seen.outcomes[id] = end == .cancelled ? .cancellationError : end
            }
            tasks[id] = Wait(node: node, observer: observer, token: token, abandons: abandons)
            observe(node, observer)
        case .cancelTask(let task):
            guard let wait = tasks[task], wait.node.end == nil, wait.observer.isAlive else { return }
            if wait.token == nil || wait.abandons {
                wait.observer.isAlive = false
                seen.outcomes[task] = .cancellationError
            }
            if let token = wait.token { cancel(token) }

        case .drain(let place):
            while !(waiting[place] ?? []).isEmpty { waiting[place]?.removeFirst().run() }
        case .advance:
            let drain = FutureProgram.Step(id: -1, operation: .drain(.manual))
            run(drain)
            clock.pass()
            while let elapse = clock.takeDue() {
                elapse()
                run(drain)
            }
        }
    }
}
