extension AnyFuture {
    /// Runs callbacks one after the other.
    ///
    /// Only one thread at a time may do this for a future.
    ///
    /// - Parameters:
    ///   - thread: The state of the current thread.
    ///   - runFirst: Runs the first callback, if the caller has already removed it.
    @inline(__always)
    final func drain(on thread: UnsafeMutablePointer<ThreadState>, runFirst: () -> Void) {
        var frame = ThreadState.Frame(source: .future(.passUnretained(self)), outer: thread.pointee.draining)
        withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            runFirst()
            drain(in: frame, on: thread)
            thread.pointee.draining = frame.pointee.outer
        }
    }

    final func drain(on thread: UnsafeMutablePointer<ThreadState>, first: consuming Callback?) {
        var first: Callback? = first
        drain(on: thread) {
            if let first = first.take() { run(first, phase) }
        }
    }

    /// Runs callbacks from inside a callback of the same future while `isNeeded` returns true.
    ///
    /// Afterwards other threads may not run any until that callback returns.
    final func drainAgain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>,
        while isNeeded: () -> Bool
    ) {
        drain(in: frame, on: thread, isAgain: true, while: isNeeded)
    }

    /// Delivers as far as may be.
    ///
    /// - Parameters:
    ///   - frame: Of the delivery on this stack. A callback that waits gives its delivery up: others may go on with it.
    ///   - isAgain: Whether it is such a callback that delivers.
    private func drain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>,
        isAgain: Bool = false, while isNeeded: () -> Bool = { true }
    ) {
        // A thread that has come since then delivers.
        while !frame.pointee.isGivenUp, isNeeded() {
            switch withState({ $0.next(hasAllowance: !isAgain) }) {
            case .idle:
                frame.pointee.isGivenUp = isAgain
                return
            case .goOnElsewhere:
                _Route.elsewhere.execute { Trampoline.deliver(self) }
                return
            case .handOver(let kind): handOver(kind, isOwner: true, on: thread, while: isNeeded)
            case .run(let callback): run(callback, phase)
            case .runClaimed(let observer): runClaimed(observer)
            case .leaveForMain(let observer, let route):
                handOver(observer, to: route, on: thread)
                withState { $0.hasLeftForMain() }
            }
        }
    }

    /// Dispatches the observers that leave this thread, after this thread has claimed their list.
    final func handOver(
        _ kind: Departures.Kind, isOwner: Bool, on thread: UnsafeMutablePointer<ThreadState>,
        while isNeeded: () -> Bool = { true }
    ) {
        var turn: UInt32?
        while true {
            guard isNeeded() else { return withState { $0.endTurn(kind) } }
            switch withState({ $0.nextDeparture(kind, isOwner: isOwner, &turn) }) {
            case .none: return
            case .deliver: return Trampoline.deliver(self)
            case .wake(let waker): waker.wake()
            case .handOver(let observer, let route):
                // A queue runs nothing on this stack, so nothing there can wait for what comes next.
                guard kind == .foreign, let turn else {
                    handOver(observer, to: route, on: thread)
                    continue
                }
                var frame = ThreadState.Frame(
                    source: .departure(.passUnretained(self)), turn: UInt64(turn), outer: thread.pointee.draining)
                withUnsafeMutablePointer(to: &frame) { frame in
                    thread.pointee.draining = frame
                    handOver(observer, to: route, on: thread)
                    thread.pointee.draining = frame.pointee.outer
                }
            }
        }
    }

    /// Hands over from inside of a callback that waits, and that the context runs inside of the call that has handed it
    /// over.
    final func handOverAgain(
        _ turn: UInt32, on thread: UnsafeMutablePointer<ThreadState>, while isNeeded: () -> Bool
    ) {
        guard withState({ $0.takeOver(.foreign, turn) }) else { return }
        handOver(.foreign, isOwner: false, on: thread, while: isNeeded)
    }

    private func runClaimed(_ observer: Observer) {
        if observer.claim(), let callback = observer.take() { run(callback, phase) }
    }

    private func handOver(
        _ observer: Observer, to route: _Route, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        let handOver = HandOver(observer, of: self)
        Trampoline.handOver(to: route, on: thread) { handOver.arrive() }
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
