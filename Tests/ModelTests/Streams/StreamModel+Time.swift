extension StreamModel {
    /// The state of `debounce`, `throttle` and `timeout`.
    final class Pace {
        let transform: StreamProgram.Transform
        let target: Node
        let waiting: Parked
        var timer: Int?
        var isUnseen = false
        private unowned let model: StreamModel

        init(_ transform: StreamProgram.Transform, to target: Node, in model: StreamModel) {
            self.transform = transform
            self.target = target
            self.model = model
            waiting = model.park(until: target)
        }

        func take(_ element: End) {
            if transform == .timeout {
                // Once it is unseen it has no timer to restart.
                if timer != nil { start() }
                if !isUnseen { model.emit(element, into: target) }
            } else if element.isFailure {
                flush()
                if transform == .debounce { stop() }
                model.emit(element, into: target)
            } else if isUnseen {
                return
            } else if transform == .debounce {
                waiting.elements = [element]
                start()
            } else if timer == nil {
                start()
                model.emit(element, into: target)
            } else if transform == .throttle {
                waiting.elements = [element]
            }
        }

        func flush() { for element in waiting.takeAll() { model.emit(element, into: target) } }

        func stop() {
            model.clock.remove(timer)
            timer = nil
        }

        func start() {
            stop()
            timer = model.clock.add(after: StreamProgram.pause) { [unowned self] in elapse() }
        }

        private func elapse() {
            timer = nil
            if transform == .timeout {
                model.emit(.timedOut, into: target)
                return model.end(target, .finished)
            }
            let hasElement = !waiting.elements.isEmpty
            flush()
            if hasElement, transform == .throttle { start() }
        }
    }

    func pace(_ transform: StreamProgram.Transform, from source: Node, to target: Node, under token: Int?) {
        let pace = Pace(transform, to: target, in: self)
        paces.append(pace)
        target.atEnd.append { pace.stop() }
        if transform == .timeout { pace.start() }
        link(
            source, to: target, on: .immediate, under: token, holder: nil, { pace.take($0) }, atFinish: { pace.flush() }
        )
    }

    /// Streams that can have no more subscribers need no timers: they have no name, no closure refers to them, and they
    /// have no subscribers.
    func abandonUnseen() {
        for pace in paces where isUnseen(pace.target) {
            let names = heldStreams.compactMap { nodes[$0] } + innerOfClosures
            guard !names.contains(where: { $0 === pace.target }) else { continue }
            pace.isUnseen = true
            pace.waiting.elements = []
            pace.stop()
        }
        while let node = nodes.values.first(where: isDeserted) { end(node, .cancelled) }
    }

    /// Whether a derived stream has lost its subscribers and its holders, so that it leaves its sources.
    private func isDeserted(_ node: Node) -> Bool {
        guard node.end == nil, isUnseen(node), !node.sources.isEmpty,
            node.isFuture ? node.leavesSource : node.hadSubscriber
        else { return false }
        let held = heldStreams.union(promises).compactMap { nodes[$0] } + innerOfClosures
        return !held.contains { $0 === node }
    }

    /// Whether it has no subscribers; if it once had one, callbacks for the end only do not count.
    private func isUnseen(_ node: Node) -> Bool {
        node.hadSubscriber ? !node.subscribers.contains { $0.wantsElements } : node.subscribers.isEmpty
    }

    /// The inner streams that existing closures refer to.
    private var innerOfClosures: [Node] { inner.filter { seen.held.contains($0.key) }.values.flatMap { $0 } }

    func advance() {
        let drain = StreamProgram.Step(id: -1, operation: .drain(.manual))
        run(drain)
        clock.pass()
        while let elapse = clock.takeDue() {
            elapse()
            run(drain)
        }
    }
}
