extension AnyFuture: DeliverySource {
    /// Runs callbacks of a settled future: now, or when the current callback on this thread returns.
    final func deliver() {
        let thread = ThreadState.current
        if !thread.pointee.isActive {
            deliver(first: nil, on: thread)
        } else if !withState({ $0.endIfNothingIsLeft() }) {
            // Deferred only if there is something: until then other threads would leave their callbacks to this one.
            Trampoline.deliver(self)
        }
    }

    /// Runs callbacks of a settled future on a thread that runs no callback.
    ///
    /// - Parameters:
    ///   - first: The callback that the caller has already removed.
    ///   - thread: The state of the current thread.
    // Not inlined: it would make each settling larger, and most happen inside another callback.
    @inline(never)
    final func deliver(first: consuming Callback?, on thread: UnsafeMutablePointer<ThreadState>) {
        thread.pointee.isActive = true
        drain(on: thread, first: first)
        Trampoline.runJobs(on: thread)
        thread.pointee.isActive = false
    }

    final func deliver(
        _: AnyObject?, _ place: DeliveryPlace, on thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool {
        guard place == .here, !thread.pointee.isWaiting else { return deliverOtherwise(place, on: thread) }
        drain(on: thread, first: nil)
        return true
    }

    /// Delivers inside a wait, or to contexts of the user's.
    // Not inlined: a link of a chain does neither.
    @inline(never)
    private func deliverOtherwise(_ place: DeliveryPlace, on thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        switch place {
        case .here:
            let isOver = ThreadState.inFrame(self, on: thread) { drain(in: $0, on: thread, isAgain: true) }
            if isOver, !thread.pointee.mayGoOn { deferLeft(on: thread) }
            return isOver
        case .onContext:
            dispatch(.foreign, on: thread)
            return thread.pointee.mayGoOn || !withState { $0.beginLeft() }
        }
    }

    /// Defers the delivery of what is left.
    ///
    /// A nested wait has given this future up and then stopped. If the outer wait is over too, no delivery on this stack
    /// goes on with it.
    private func deferLeft(on thread: UnsafeMutablePointer<ThreadState>) {
        guard withState({ $0.beginLeft() }) else { return }
        thread.pointee.jobs.prepend(.deliver(self, mailbox: nil, .onContext))
    }

    final func deliverAgain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        switch frame.pointee.place {
        case .here:
            let isOver = drain(in: frame, on: thread, isAgain: true)
            if isOver, !thread.pointee.mayGoOn { deferLeft(on: thread) }
        case .onContext:
            guard !frame.pointee.isGivenUp || withState({ $0.begin(.foreign) }) else { return }
            frame.pointee.isGivenUp = true
            dispatch(.foreign, on: thread)
        }
    }

    /// Runs callbacks one after the other.
    ///
    /// Only one thread at a time may do this for a future.
    ///
    /// - Parameters:
    ///   - thread: The state of the current thread.
    ///   - runFirst: Runs the first callback, if the caller has already removed it.
    @inline(__always)
    final func drain(on thread: UnsafeMutablePointer<ThreadState>, runFirst: () -> Void) {
        _ = ThreadState.inFrame(self, on: thread) { frame in
            runFirst()
            return drain(in: frame, on: thread)
        }
    }

    final func drain(on thread: UnsafeMutablePointer<ThreadState>, first: consuming Callback?) {
        var first: Callback? = first
        drain(on: thread) {
            if let first = first.take() { run(first, phase) }
        }
    }

    /// Delivers as far as may be.
    ///
    /// - Parameters:
    ///   - frame: Of the delivery on this stack. A callback that waits gives its delivery up: others may go on with it.
    ///   - isAgain: Whether it is such a callback that delivers.
    /// - Returns: Whether the delivery is over; false if it has stopped because the wait is over.
    private func drain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>,
        isAgain: Bool = false
    ) -> Bool {
        // A thread that has come since then delivers.
        while !frame.pointee.isGivenUp {
            guard !isAgain || thread.pointee.mayGoOn else { return false }
            switch withState({ $0.next(on: thread, hasAllowance: !isAgain) }) {
            case .idle:
                frame.pointee.isGivenUp = isAgain
                return true
            case .goOnElsewhere:
                _Route.elsewhere.execute { self.deliver() }
                return true
            case .dispatch(let list): dispatch(list, on: thread)
            case .run(let callback): run(callback, phase)
            case .runClaimed(let observer): runClaimed(observer)
            case .leaveForMain(let observer, let route):
                dispatch(observer, to: route, on: thread)
                withState { $0.hasLeftForMain() }
            }
        }
        return true
    }

    /// Dispatches the observers that leave this thread, after this thread has claimed their list.
    final func dispatch(_ departures: Departures, on thread: UnsafeMutablePointer<ThreadState>) {
        var run = FutureState.DepartureRun(departures)
        while true {
            // Dispatching to a queue runs no callback on this stack, so it goes on after the wait.
            guard departures == .queued || thread.pointee.mayGoOn else {
                if !run.isGivenUp { withState { $0.end(departures) } }
                return
            }
            let hasAllowance = departures == .queued || !thread.pointee.isWaiting
            switch withState({ $0.nextDeparture(&run, on: thread, hasAllowance: hasAllowance) }) {
            case .none: return
            case .goOnElsewhere: return _Route.elsewhere.execute { self.dispatchInTurn(departures) }
            case .deliver: return deliver()
            case .wake(let waker): waker.wake()
            case .dispatch(let observer, let route):
                // A queue runs nothing on this stack, so nothing there can wait for what comes next.
                guard departures == .foreign else {
                    dispatch(observer, to: route, on: thread)
                    continue
                }
                ThreadState.inFrame(self, nil, .onContext, on: thread) { frame in
                    dispatch(observer, to: route, on: thread)
                    run.isGivenUp = frame.pointee.isGivenUp
                    run.allowance? += frame.pointee.ownAdditions
                }
            }
        }
    }

    /// Dispatches a list that was begun: foreign ones when the current callback on this thread returns.
    final func dispatchInTurn(_ departures: Departures) {
        switch departures {
        case .queued: dispatch(.queued, on: ThreadState.current)
        case .foreign: Trampoline.deliver(self, nil, .onContext)
        }
    }

    private func runClaimed(_ observer: Observer) {
        if observer.claim(), let callback = observer.take() { run(callback, phase) }
    }

    private func dispatch(
        _ observer: Observer, to route: _Route, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        let task = CallbackTask(observer, of: self)
        Trampoline.dispatch(on: thread) { route.execute { task.run() } }
    }

    private func run(_ callback: borrowing Callback, _ phase: FuturePhase) {
        if callback.kind.isOfMany {
            callback.inputs.arrive(self, at: Int(callback.index))
        } else {
            deliver(callback.kind, to: callback.target, callback.body, phase)
        }
    }

    @inline(__always)
    final func deliver(_ kind: ObserverKind, to target: AnyFuture?, _ body: ObserverBody, _ phase: FuturePhase) {
        if kind.wants(phase) {
            body(self, target)
        } else if let target {
            pass(phase, to: target)
        }
    }

    /// Passes on an outcome that needs no code of the observer: a failure or a cancellation, unchanged.
    private func pass(_ phase: FuturePhase, to target: AnyFuture) {
        switch phase {
        case .failed: if let error { _ = target.fail(error) }
        case .cancelled: target.cancelAsTarget()
        case .abandoned: target.loseProducer()
        case .pending, .succeeded: assertionFailure("nothing to pass on in phase \(phase)")
        }
    }
}
