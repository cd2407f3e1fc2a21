extension StreamCore: DeliverySource {
    func deliver(
        _ mailbox: AnyObject?, _ place: DeliveryPlace, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        if let lane = mailbox { drain(unsafeDowncast(lane, to: StreamLane.self), place) }
    }

    func deliverAgain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>,
        while isNeeded: () -> Bool
    ) {
        guard isNeeded(), let mailbox = frame.pointee.mailbox else { return }
        frame.pointee.kept = mailbox
        let lane = unsafeDowncast(mailbox, to: StreamLane.self)
        guard withState({ _ in lane.resume(frame.pointee.turn) }) else { return }
        drain(lane, frame.pointee.place, pausing: lane.kind != .sink, while: isNeeded)
    }

    func deliver(_ wake: StreamState.Wake) {
        switch wake {
        case .nobody: break
        case .one(let lane): deliver(lane)
        case .several(let lanes):
            // A callback on this stack may take long, or wait for elements of another mailbox. So the mailboxes that
            // run elsewhere go first. `runsHere` is called once per mailbox, because its answer may change.
            let here = lanes.map(runsHere)
            for (lane, isHere) in zip(lanes, here) where !isHere { deliver(lane, here: false) }
            Trampoline.together {
                for (lane, isHere) in zip(lanes, here) where isHere { deliver(lane, here: true) }
            }
        }
    }

    /// Whether user code may run on this stack.
    private func runsHere(_ lane: StreamLane) -> Bool {
        switch lane.kind {
        case .immediate, .custom: true
        case .main: MainQueue.isCurrent && withState { _ in lane.isMainImmediate }
        case .sink, .queue: false
        }
    }

    /// Delivers to a mailbox, or dispatches the delivery.
    func deliver(_ lane: StreamLane) { deliver(lane, here: runsHere(lane)) }

    private func deliver(_ lane: StreamLane, here: Bool) {
        if here {
            Trampoline.deliver(self, lane)
        } else if lane.kind == .sink {
            drain(lane, .here)
        } else {
            handOver(lane)
        }
    }

    /// Delivers an element that was started under the same lock as it was appended.
    @inline(__always)
    func deliver(_ direct: StreamState.Direct, on thread: UnsafeMutablePointer<ThreadState>) {
        direct.lane._withUnsafeGuaranteedRef { lane in
            if lane.kind == .sink {
                drain(lane, after: direct, on: thread)
            } else {
                Trampoline.whileActive(thread) { drain(lane, after: direct, on: thread) }
            }
        }
    }

    private func drain(
        _ lane: StreamLane, after direct: StreamState.Direct, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        inFrame(lane, .here, turn: direct.turn, on: thread) { frame in
            direct.served.subscriber._withUnsafeGuaranteedRef { subscriber in
                if subscriber.isLive {
                    subscriber.contents.take(StreamEvent(direct.served.slots, count: 1), subscriber.interest)
                }
            }
            if !withState({ $0.endDirectly(direct) }) { goOn(lane, after: direct.served, frame, on: thread) }
        }
    }

    @inline(never)
    private func goOn(
        _ lane: StreamLane, after served: StreamState.Served, _ frame: UnsafeMutablePointer<ThreadState.Frame>,
        on thread: UnsafeMutablePointer<ThreadState>
    ) {
        frame.pointee.kept = lane
        drain(lane, .here, after: served, frame, on: thread, pausing: lane.kind != .sink)
    }

    /// Delivers to a mailbox.
    ///
    /// Only one thread at a time may do this.
    func drain(_ lane: StreamLane, _ delivery: DeliveryPlace) {
        drain(lane, delivery, pausing: lane.kind != .sink)
    }

    private func drain(
        _ lane: StreamLane, _ delivery: DeliveryPlace, pausing: Bool, while isNeeded: () -> Bool = { true }
    ) {
        let thread = ThreadState.current
        inFrame(lane, delivery, turn: 0, on: thread) { frame in
            drain(lane, delivery, after: nil, frame, on: thread, pausing: pausing, while: isNeeded)
        }
    }

    /// Records the delivery on this stack, for callbacks that wait.
    @inline(__always)
    private func inFrame(
        _ lane: StreamLane, _ delivery: DeliveryPlace, turn: UInt64,
        on thread: UnsafeMutablePointer<ThreadState>, _ body: (UnsafeMutablePointer<ThreadState.Frame>) -> Void
    ) {
        var frame = ThreadState.Frame(self, lane, delivery, turn: turn, in: thread.pointee.draining)
        withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            body(frame)
            thread.pointee.draining = frame.pointee.outer
        }
    }

    private func drain(
        _ lane: StreamLane, _ delivery: DeliveryPlace, after served: StreamState.Served?,
        _ frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>, pausing: Bool,
        while isNeeded: () -> Bool = { true }
    ) {
        var previous = served
        // At least one element: two callbacks that wait for each other would otherwise never continue.
        var hasRun = served != nil
        while true {
            let pauses = pausing && hasRun && !thread.pointee.jobs.isEmpty
            // The frame holds the number of the delivery, for a callback that waits.
            let step = withState {
                $0.next(
                    in: lane, &frame.pointee.turn, after: &previous, delivery, pauses: pauses,
                    stops: hasRun && !isNeeded(), on: thread)
            }
            if let served = previous.take() { release(served) }
            switch step {
            case .done: return
            case .goOn: break
            case .pause:
                thread.pointee.jobs.append(.deliver(self, mailbox: lane, delivery))
                return
            case .handOver: return goOnLater(lane, delivery)
            case .run(let served):
                hasRun = true
                previous = run(served, in: lane, pausing ? thread : nil)
            case .end(let subscriber, let contents, let signal):
                end(subscriber, contents, signal)
            }
        }
    }

    /// Runs a subscriber's body with its elements, until it is interrupted or has caused callbacks that come first.
    @inline(__always)
    private func run(
        _ served: StreamState.Served, in lane: StreamLane, _ thread: UnsafeMutablePointer<ThreadState>?
    ) -> StreamState.Served {
        var served = served
        served.subscriber._withUnsafeGuaranteedRef { subscriber in
            // Retained once for all elements. It does not change while the subscriber runs.
            let contents = subscriber.contents
            if lane.kind == .sink {
                contents.take(StreamEvent(served.slots, count: served.count), subscriber.interest)
                served.done = served.count
                return
            }
            repeat {
                let event = StreamEvent(served.slots + served.done, count: 1)
                served.done += 1
                if subscriber.isLive { contents.take(event, subscriber.interest) }
            } while served.done < served.count && !isInterrupted(subscriber) && thread?.pointee.jobs.isEmpty ?? true
        }
        return served
    }

    /// Releases a subscriber that was removed while its body ran.
    @inline(never)
    private func release(_ served: StreamState.Served) { _ = served.subscriber.takeRetainedValue().takeContents() }

    private func end(_ subscriber: Subscriber, _ contents: Subscriber.Contents, _ signal: StreamSignal) {
        contents.leaveTarget()
        // The token may have been canceled at this moment, before it could find the subscriber.
        if let link = subscriber.link, !link.release() {
            contents.target?.cancelAsTarget()
        } else if subscriber.interest.contains(signal) {
            contents.body?(StreamEvent(end: signal), contents.target)
        } else {
            contents.target?.loseProducer(cancelled: signal == .cancellation)
        }
    }

    // MARK: Contexts

    /// Dispatches to the context: at the start, or to let its other tasks run.
    private func goOnLater(_ lane: StreamLane, _ delivery: DeliveryPlace) {
        // A user's context may run the task before `execute` returns; from here that would recurse.
        if delivery == .onContext, lane.kind == .custom { Trampoline.deliver(self, lane) } else { handOver(lane) }
    }

    private func handOver(_ lane: StreamLane) {
        guard let (way, turn) = withState({ $0.handOver(lane) }) else { return abandon(lane) }
        let handOver = LaneHandOver(lane, of: self, turn)
        // If elements run on the emitting thread, another thread continues.
        let route = way.kind == .immediate ? .elsewhere : way
        Trampoline.handOver(on: ThreadState.current) { route.execute { handOver.arrive() } }
    }

    /// Runs when the context has begun a mailbox's task.
    fileprivate func arrive(_ lane: StreamLane, _ turn: UInt64) {
        guard withState({ _ in lane.arrive(turn) }) else { return }
        // If the context runs the task inside a delivery, no loop on this thread would continue after a pause.
        let isNested = ThreadState.current.pointee.isHandingOver
        Trampoline.callback { drain(lane, .onContext, pausing: !isNested) }
    }

    /// The context has dropped the task.
    ///
    /// The subscribers must not wait forever.
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

/// The task of a mailbox, on its way to the context.
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
    /// If the context runs a task twice, the second run does nothing.
    func arrive() { stream.arrive(lane, turn) }

    deinit { stream.abandon(lane, turn) }
}
