// Futures derived from other futures.

extension FutureModel {
    func make(_ step: FutureProgram.Step) {
        let id = step.id
        switch step.operation {
        case .promise:
            makeNode(id)
            promises.insert(id)
        case .bare:
            makeNode(id)
            bare.insert(id)
        case .value: settle(makeNode(id), .success(id))
        case .transform(let transform, let source, let place, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            if transform == .asyncMap {
                observe(
                    source,
                    Observer(.none, under: token, target: target, holder: nil) { [unowned self] end in
                        settle(target, end.isSuccess ? transform.applied(to: end) : end)
                    })
                return
            }
            observe(
                source,
                Observer(
                    on: place, under: token, target: target, holder: id,
                    needsPlace: transform.runs(for:)
                ) { [unowned self] end in
                    if transform == .ensure { seen.notes[id, default: []].append(.finished) }
                    settle(target, transform.applied(to: end))
                })
        case .flatMap(let source, let inner, let isRecovery, let place, let token):
            let target = makeNode(id)
            guard let source = held(source), let inner = held(inner) else { return forget(id) }
            observe(
                source,
                Observer(
                    on: place, under: token, target: target, holder: id,
                    needsPlace: { isRecovery ? $0.isFailure : $0.isSuccess }
                ) { [unowned self] end in
                    guard isRecovery ? end.isFailure : end.isSuccess else { return settle(target, end) }
                    observe(inner, Observer(under: token, target: target) { [unowned self] in settle(target, $0) })
                }, keeping: [inner])
        case .gather(let gathering, let sources, let place):
            let target = makeNode(id)
            let inputs = sources.compactMap { held($0) }
            guard inputs.count == sources.count else { return forget(id) }
            if gathering.takesClosure, !inputs.isEmpty { hold(id, until: target) }
            if gathering == .fold { return fold(id, inputs, on: place, into: target) }
            let observers = gather(id, gathering, inputs, on: place, into: target)
            // The others map their results, with a closure that stays.
            if gathering == .firstCompleted || gathering == .firstSucceeded {
                leavers.append(Leaver(target: target, observers: observers, timer: nil))
            }
        case .retry(let sources, let hasDelay, let place, let token):
            let target = makeNode(id)
            let inputs = sources.compactMap { held($0) }
            guard inputs.count == sources.count else { return forget(id) }
            hold(id, until: target)
            let link = childToken(of: token, for: id)
            attempt(id, inputs, hasDelay: hasDelay, on: place, under: link, for: target)
            observe(target, Observer(under: nil) { [unowned self] _ in cancel(link) })
        case .timeout(let source, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            let observer = Observer(under: token, target: target) { [unowned self] in settle(target, $0) }
            observe(source, observer)
            guard target.end == nil else { return }
            let timer = addTimer(until: target) { [unowned self] in
                guard target.end == nil else { return }
                observer.isAlive = false
                settle(target, .timedOut)
            }
            leavers.append(Leaver(target: target, observers: [observer], timer: timer))
        case .delay(let source, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            let observer = Observer(under: token, target: target) { [unowned self] end in
                guard end != .cancelled else { return settle(target, end) }
                let elapsed = Node()
                let pause = Observer(under: token, target: target) { [unowned self] _ in settle(target, end) }
                observe(elapsed, pause, keeping: [source])
                let timer = addTimer(until: target) { [unowned self] in settle(elapsed, .success(0)) }
                leavers.append(Leaver(target: target, observers: [pause], timer: timer))
            }
            observe(source, observer)
            leavers.append(Leaver(target: target, observers: [observer], timer: nil))
        case .asyncFuture(let source, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            if let token, cancelled.contains(token) { return settle(target, .cancellationError) }
            let body = Observer(under: nil) { [unowned self] in
                settle(target, $0 == .cancelled ? .cancellationError : $0)
            }
            if let token {
                // Canceling the token cancels the task, whose result is the future's.
                let stop = Observer(.none, under: token, target: nil) { _ in }
                let stopped = Node()
                registered.append((stopped, stop))
                onDetach.append(
                    (
                        stop,
                        { [unowned self] in
                            body.isAlive = false
                            settle(target, .cancellationError)
                        }
                    ))
                observe(target, Observer(under: nil) { _ in stop.isAlive = false })
            }
            observe(source, body, keeping: [target])
        default: break
        }
    }

    @discardableResult
    func makeNode(_ id: Int) -> Node {
        let node = Node()
        nodes[id] = node
        heldFutures.insert(id)
        return node
    }

    /// Records that a step could not be carried out, because an object that it needs was released.
    func forget(_ id: Int) {
        nodes[id] = nil
        heldFutures.remove(id)
    }

    func held(_ id: Int) -> Node? { heldFutures.contains(id) ? nodes[id] : nil }

    func completable(_ id: Int) -> Node? {
        promises.contains(id) || (bare.contains(id) && heldFutures.contains(id)) ? nodes[id] : nil
    }

    /// Schedules an action for a second later, unless the future has ended.
    @discardableResult
    func addTimer(until target: Node, _ run: @escaping () -> Void) -> Int {
        let number = clock.add(after: 1, run)
        let observer = Observer(under: nil) { [unowned self] _ in clock.remove(number) }
        observer.isPlumbing = true
        observe(target, observer)
        return number
    }

    /// Lets futures without waiters and holders leave their sources, one after the other.
    func letLeave() {
        leavers.removeAll { !$0.observers.contains(where: \.isAlive) || $0.target.end != nil }
        while let index = leavers.firstIndex(where: { !isHeld($0) }) {
            let leaver = leavers.remove(at: index)
            for observer in leaver.observers { observer.isAlive = false }
            if let timer = leaver.timer { clock.remove(timer) }
        }
    }

    private func isHeld(_ leaver: Leaver) -> Bool {
        let target = leaver.target
        if heldFutures.contains(where: { nodes[$0] === target }) { return true }
        if waiting.values.joined().contains(where: { $0.source === target }) { return true }
        return attached.contains { node, observer in
            guard observer.isAlive, !leaver.observers.contains(where: { $0 === observer }) else { return false }
            if node === target { return !observer.isPlumbing }
            return observer.target === target || observer.keeps.contains { $0 === target }
        }
    }
}
