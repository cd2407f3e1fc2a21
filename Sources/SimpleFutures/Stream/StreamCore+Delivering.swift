extension StreamCore {
    func deliver(_ wake: StreamState.Wake) {
        switch wake {
        case .nobody: break
        case .one(let lane): deliver(lane)
        case .several(let lanes):
            for lane in lanes { deliver(lane) }
        }
    }

    /// Delivers to a lane, or sees to it that somebody will.
    func deliver(_ lane: StreamLane) {
        switch lane.kind {
        case .sink: drain(lane, .here)
        case .immediate, .custom: Trampoline.deliver(lane, of: self)
        case .main where MainQueue.isCurrent: Trampoline.deliver(lane, of: self)
        // A queue runs nothing on this stack, so there is nothing to wait for.
        case .main, .queue: handOver(lane)
        }
    }

    /// Delivers to a lane as the only one who does.
    func drain(_ lane: StreamLane, on thread: UnsafeMutablePointer<ThreadState>) {
        var frame = ThreadState.Frame(
            source: .lane(.passUnretained(lane), .passUnretained(self)), outer: thread.pointee.draining)
        withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            drain(lane, .here)
            thread.pointee.draining = frame.pointee.outer
        }
    }

    /// Delivers from inside one of the callbacks of a delivery that goes on afterwards.
    func drainAgain(_ lane: StreamLane) { drain(lane, .again) }

    private func drain(_ lane: StreamLane, _ delivery: StreamState.Delivery) {
        var previous: (Subscriber, Int)?
        var pace = Pace()
        while true {
            let step = withState { $0.next(in: lane, after: previous, delivery, &pace) }
            previous = nil
            switch step {
            case .idle: return
            case .handOver: return delivery == .again ? () : goOnLater(lane, delivery)
            case .run(let subscriber, let contents, let event):
                previous = (subscriber, event.count)
                if subscriber.link.map({ $0.token.isLive($0) }) ?? true {
                    run(subscriber, contents, event)
                }
            case .end(let subscriber, let contents, let signal):
                end(subscriber, contents, signal)
            }
        }
    }

    private func run(_ subscriber: Subscriber, _ contents: Subscriber.Contents, _ event: StreamEvent) {
        if subscriber.interest.contains(event.signal) {
            contents.body?(event, contents.target)
        } else if let error = event.error {
            contents.target?.emit(error: error)
        } else {
            assertionFailure("a subscriber with a target passes on errors, and takes values itself")
        }
    }

    private func end(_ subscriber: Subscriber, _ contents: Subscriber.Contents, _ signal: StreamSignal) {
        subscriber.forgetSource(of: contents.target)
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
        guard let (route, number) = withState({ _ in lane.handOver() }) else { return abandon(lane) }
        let handOver = LaneHandOver(lane, of: self, number)
        Trampoline.handOver(to: route, on: ThreadState.current) { handOver.arrive() }
    }

    /// The context has got round to a lane.
    fileprivate func arrive(_ lane: StreamLane, _ number: UInt64) {
        guard withState({ _ in lane.arrive(number) }) else { return }
        Trampoline.callback { drain(lane, .onContext) }
    }

    /// The context has dropped its task: nobody may be left waiting for ever.
    fileprivate func abandon(_ lane: StreamLane, _ number: UInt64) {
        if withState({ _ in lane.arrive(number) }) { abandon(lane) }
    }

    private func abandon(_ lane: StreamLane) {
        while let (subscriber, contents) = withState({ $0.abandon(lane) }) {
            subscriber.forgetSource(of: contents.target)
            if let link = subscriber.link, !link.release() {
                contents.target?.cancelAsTarget()
            } else {
                contents.target?.emit(error: FuturesError.brokenPromise(createdAt: nil))
                contents.target?.loseProducer()
            }
        }
        abandonIfUnseen()
    }
}

/// A lane on its way to its context.
private final class LaneHandOver: Sendable {
    private let stream: StreamCore
    private let lane: StreamLane
    private let number: UInt64

    init(_ lane: StreamLane, of stream: StreamCore, _ number: UInt64) {
        self.lane = lane
        self.stream = stream
        self.number = number
    }

    /// Runs on the context.
    ///
    /// A context that runs a task twice finds nothing to deliver the second time.
    func arrive() { stream.arrive(lane, number) }

    deinit { stream.abandon(lane, number) }
}
