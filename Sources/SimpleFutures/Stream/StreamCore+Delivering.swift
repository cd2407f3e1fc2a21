extension StreamCore {
    func deliver(_ wake: StreamState.Wake) {
        switch wake {
        case .nobody: break
        case .one(let lane): deliver(lane)
        case .several(let lanes):
            // A callback that runs here may take its time, or wait for what another lane has got: these go first. Asked once,
            // as the answer may change.
            let here = lanes.map(runsHere)
            for (lane, isHere) in zip(lanes, here) where !isHere { deliver(lane, here: false) }
            Trampoline.together {
                for (lane, isHere) in zip(lanes, here) where isHere { deliver(lane, here: true) }
            }
        }
    }

    /// Whether code of the user's may run on this stack.
    private func runsHere(_ lane: StreamLane) -> Bool {
        switch lane.kind {
        case .immediate, .custom: true
        case .main: MainQueue.isCurrent && withState { _ in lane.isMainImmediate }
        case .sink, .queue: false
        }
    }

    /// Delivers to a lane, or sees to it that somebody will.
    func deliver(_ lane: StreamLane) { deliver(lane, here: runsHere(lane)) }

    private func deliver(_ lane: StreamLane, here: Bool) {
        if here {
            Trampoline.deliver(lane, of: self)
        } else if lane.kind == .sink {
            drain(lane, .here)
        } else {
            handOver(lane)
        }
    }

    /// Delivers to a lane as the only one who does.
    func drain(_ lane: StreamLane, _ delivery: StreamState.Delivery) {
        drain(lane, delivery, pausing: lane.kind != .sink)
    }

    /// Delivers what a callback on this stack is about to wait for, and lets others deliver until it returns.
    func drainAgain(_ lane: StreamLane, _ delivery: StreamState.Delivery, _ turn: UInt64) {
        if withState({ _ in lane.resume(turn) }) { drain(lane, delivery) }
    }

    private func drain(_ lane: StreamLane, _ delivery: StreamState.Delivery, pausing: Bool) {
        let thread = ThreadState.current
        var frame = ThreadState.Frame(
            source: .lane(.passUnretained(lane), .passUnretained(self), delivery), outer: thread.pointee.draining)
        withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            drain(lane, delivery, frame, pausing ? thread : nil)
            thread.pointee.draining = frame.pointee.outer
        }
    }

    private func drain(
        _ lane: StreamLane, _ delivery: StreamState.Delivery, _ frame: UnsafeMutablePointer<ThreadState.Frame>,
        _ thread: UnsafeMutablePointer<ThreadState>?
    ) {
        var turn: UInt64 = 0
        var previous: (Subscriber, Int)?
        // One element at the least: two that wait for each other would never go on.
        var hasRun = false
        while true {
            let pauses = hasRun && thread.map { !$0.pointee.jobs.isEmpty } ?? false
            let step = withState { $0.next(in: lane, &turn, after: previous, delivery, pauses: pauses) }
            // For a callback that waits.
            frame.pointee.turn = turn
            previous = nil
            switch step {
            case .done: return
            case .goOn: break
            case .pause:
                thread?.pointee.jobs.append(.deliverLane(lane, self, delivery))
                return
            case .handOver: return goOnLater(lane, delivery)
            case .run(let subscriber, let body, let target, let event):
                previous = (subscriber, event.count)
                hasRun = true
                if subscriber.link.map({ $0.token.isLive($0) }) ?? true {
                    run(subscriber, body, target, event)
                }
            case .end(let subscriber, let contents, let signal):
                end(subscriber, contents, signal)
            }
        }
    }

    private func run(_ subscriber: Subscriber, _ body: StreamBody?, _ target: StreamCore?, _ event: StreamEvent) {
        if subscriber.interest.contains(event.signal) {
            body?(event, target)
        } else if let error = event.error {
            target?.emit(error: error)
        } else {
            assertionFailure("a subscriber with a target passes on errors, and takes values itself")
        }
    }

    private func end(_ subscriber: Subscriber, _ contents: Subscriber.Contents, _ signal: StreamSignal) {
        contents.leaveTarget()
        // The token may have been cancelled in this very moment, and has found nobody to detach.
        if let link = subscriber.link, !link.release() {
            contents.target?.cancelAsTarget()
        } else if subscriber.interest.contains(signal) {
            contents.body?(StreamEvent(end: signal), contents.target)
        } else if signal == .finish || subscriber.joins {
            contents.target?.loseProducer(cancelled: signal == .cancellation)
        } else {
            contents.target?.cancelAsTarget()
        }
    }

    // MARK: Contexts

    /// The context must be asked: to begin with, or since others should have their turn.
    private func goOnLater(_ lane: StreamLane, _ delivery: StreamState.Delivery) {
        // A context of the user's may run its task right inside of the call; from here on that would recurse.
        if delivery == .onContext, lane.kind == .custom { Trampoline.deliver(lane, of: self) } else { handOver(lane) }
    }

    private func handOver(_ lane: StreamLane) {
        guard let (route, turn) = withState({ $0.handOver(lane) }) else { return abandon(lane) }
        let handOver = LaneHandOver(lane, of: self, turn)
        Trampoline.handOver(to: route, on: ThreadState.current) { handOver.arrive() }
    }

    /// The context has got round to a lane.
    fileprivate func arrive(_ lane: StreamLane, _ turn: UInt64) {
        guard withState({ _ in lane.arrive(turn) }) else { return }
        // If the context runs its task right inside of a delivery, there is nobody to go on after a pause.
        let isNested = ThreadState.current.pointee.isHandingOver
        Trampoline.callback { drain(lane, .onContext, pausing: !isNested) }
    }

    /// The context has dropped its task: nobody may be left waiting for ever.
    fileprivate func abandon(_ lane: StreamLane, _ turn: UInt64) {
        if withState({ _ in lane.arrive(turn) }) { abandon(lane) }
    }

    private func abandon(_ lane: StreamLane) {
        while let (subscriber, contents) = withState({ $0.abandon(lane) }) {
            contents.leaveTarget()
            if let link = subscriber.link, !link.release() {
                contents.target?.cancelAsTarget()
            } else {
                contents.target?.emit(error: FuturesError.brokenPromise(createdAt: nil))
                contents.target?.loseProducer()
            }
        }
        tellWork()
    }
}

/// A lane on its way to its context.
private final class LaneHandOver: Sendable {
    private let stream: StreamCore
    private let lane: StreamLane
    private let turn: UInt64

    init(_ lane: StreamLane, of stream: StreamCore, _ turn: UInt64) {
        self.lane = lane
        self.stream = stream
        self.turn = turn
    }

    /// Runs on the context.
    ///
    /// A context that runs a task twice finds nothing to deliver the second time.
    func arrive() { stream.arrive(lane, turn) }

    deinit { stream.abandon(lane, turn) }
}
