extension AnyFuture {
    /// Delivers to one observer after the other, as the only one who does.
    ///
    /// - Parameters:
    ///   - thread: The thread's own state.
    ///   - runFirst: Runs the first one, if the caller has taken that out.
    @inline(__always)
    final func drain(on thread: UnsafeMutablePointer<ThreadState>, runFirst: () -> Void) {
        var frame = ThreadState.Frame(source: .future(.passUnretained(self)), outer: thread.pointee.draining)
        withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            runFirst()
            drain(.toAll, in: frame, on: thread)
            thread.pointee.draining = frame.pointee.outer
        }
    }

    final func drain(on thread: UnsafeMutablePointer<ThreadState>, first: consuming Callback?) {
        var first: Callback? = first
        drain(on: thread) {
            if let first = first.take() { run(first, phase) }
        }
    }

    /// Delivers from inside one of the callbacks of a delivery that goes on afterwards, as long as there is a reason,
    /// then leaves the delivery to others until that callback returns.
    final func drainAgain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>,
        while isNeeded: () -> Bool
    ) {
        drain(.again, in: frame, on: thread, while: isNeeded)
    }

    /// Delivers, inside a callback, to those who need not wait until it returns.
    ///
    /// False when that were all.
    final func drainAhead(on thread: UnsafeMutablePointer<ThreadState>) -> Bool { drain(.ahead, in: nil, on: thread) }

    /// Hands over, while another thread is inside a callback of this future, what needs not wait until it returns.
    final func drainAside() {
        let thread = ThreadState.current
        while handOverAside(on: thread) {}
    }

    /// Hands over the next one; false if there is none who need not wait.
    ///
    /// He goes to his queue under the lock: nobody who registers next may overtake him, and a queue runs nothing on this
    /// stack.
    private func handOverAside(on thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        // Released without the lock: the queue may be done with it already.
        var handedOver: (HandOver, _Route)?
        let next = withState { state -> FutureState.Next? in
            switch state.next(.aside) {
            case .handOver(let observer, let route):
                let handOver = HandOver(observer, of: self)
                handedOver = (handOver, route)
                Trampoline.handOver(to: route, on: thread) { handOver.arrive() }
                return nil
            case let next: return next
            }
        }
        _ = consume handedOver
        switch consume next {
        case nil: break
        case .runClaimed(let waker): runClaimed(waker)
        default: return false
        }
        return true
    }

    /// Delivers as far as may be; false when nobody is left.
    ///
    /// - Parameter frame: Of the delivery on this stack. A callback that waits gives its delivery up: others may go on
    ///   with it.
    @discardableResult
    private func drain(
        _ delivering: FutureState.Delivering, in frame: UnsafeMutablePointer<ThreadState.Frame>?,
        on thread: UnsafeMutablePointer<ThreadState>, while isNeeded: () -> Bool = { true }
    ) -> Bool {
        while true {
            // Whoever has come since then delivers.
            if let frame, frame.pointee.isGivenUp { return false }
            if !isNeeded() {
                withState { $0.returnToCallback() }
                return true
            }
            switch withState({ $0.next(delivering) }) {
            case .idle:
                frame?.pointee.isGivenUp = delivering == .again
                return false
            case .later: return true
            case .goOnElsewhere:
                _Route.elsewhere.execute { Trampoline.deliver(self) }
                return false
            case .run(let callback): run(callback, phase)
            case .runClaimed(let observer): runClaimed(observer)
            case .handOver(let observer, let route): handOver(observer, to: route, on: thread)
            }
        }
    }

    private func runClaimed(_ observer: Observer) {
        if observer.kind == .waker {
            observer.asWaker.wake()
        } else if observer.claim(), let callback = observer.take() {
            run(callback, phase)
        }
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

    /// What needs no code of the observer's: a failure is handed on as it is, a cancellation too.
    private func pass(_ phase: FuturePhase, to target: AnyFuture) {
        switch phase {
        case .failed: if let error { _ = target.fail(error) }
        case .cancelled: target.cancelAsTarget()
        case .abandoned: target.loseProducer()
        case .pending, .succeeded: assertionFailure("nothing to pass on in phase \(phase)")
        }
    }
}
