extension AnyFuture {
    /// Registers code to run when this future ends.
    ///
    /// - Parameters:
    ///   - kind: The outcomes that the code handles, and which part of it runs on the context.
    ///   - context: The context of the user's code.
    ///   - token: The token that cancels the registration.
    ///   - target: The future that the body settles. It is canceled when the registration is, and loses a producer if
    ///     the registration is lost.
    ///   - body: The code. It runs at most once.
    @inlinable @inline(__always)
    package final func observe(
        _ kind: ObserverKind, on context: any ExecutionContext, under token: CancelToken,
        target: consuming AnyFuture? = nil, _ body: consuming @escaping ObserverBody
    ) {
        observe(kind, route: context._route, under: token, target: target, body)
    }

    /// The same, by default for internal code, which runs on the thread that settles the future.
    ///
    /// Package hook.
    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, route: consuming _Route = .immediate, under token: CancelToken = .none,
        target: consuming AnyFuture? = nil, _ body: consuming @escaping ObserverBody
    ) {
        if route.kind == .immediate, token.isNone, deliverAtRest(kind, to: target, body) { return }
        observe(Callback(route: route, kind: kind, target: target, body: body), under: token)
    }

    /// Runs the body at once if the future is settled, no other callbacks are running and this thread is not inside a
    /// callback.
    ///
    /// Returns false otherwise.
    @inline(__always)
    private func deliverAtRest(_ kind: ObserverKind, to target: AnyFuture?, _ body: ObserverBody) -> Bool {
        guard phase != .pending else { return false }
        let thread = ThreadState.current
        guard !thread.pointee.isActive, withState({ $0.beginAtRest(on: thread) }) else { return false }
        Trampoline.whileActive(thread) { drain(on: thread) { deliver(kind, to: target, body, phase) } }
        return true
    }

    final func observe(_ callback: consuming Callback, under token: CancelToken) {
        var callback: Callback? = consume callback
        if token.isNone, let addition = addFirst(&callback) {
            carryOut(addition)
            if case .waitingForWork = addition { withState { $0.first.read { $0.target } ?? nil }?.setUpstream(self) }
        } else if let callback {
            observe(Observer(callback), under: token)
        }
    }

    /// Registers a wait for many inputs.
    ///
    /// Its callback runs on the thread that settles the future.
    final func observe(_ kind: ObserverKind, _ inputs: Inputs, at index: Int) {
        var callback: Callback? = Callback(kind, input: index, of: inputs)
        var addition = addFirst(&callback)
        // A callback that is left after an addition is a stale one, which the new one has replaced.
        if let addition { carryOut(addition) } else if let callback { addition = add(Observer(callback)) }
        guard case .waitingForWork = addition else { return }
        inputs.target?.setUpstream(self)
        if let lifeline { inputs.remember(lifeline) }
    }

    /// Registers an observer that the caller can remove with ``withdraw(_:)``.
    final func observe(_ observer: Observer, under token: CancelToken) {
        guard !token.isNone else {
            add(observer)
            return
        }
        let link = ObserverLink(observer, of: self, under: token)
        observer.link = link
        // Registered with the token first, so that the token can already claim the callback when the first result
        // arrives.
        guard token.add(link) else { return TokenLink.detach { $0(link) } }
        add(observer)
    }

    @inline(__always)
    private func addFirst(_ callback: inout Callback?) -> FutureState.Addition? {
        let thread = threadIfSettled
        return withState { $0.add(&callback, on: thread) }
    }

    /// The current thread, if the future is settled: then this thread may be delivering.
    @inline(__always)
    private var threadIfSettled: UnsafeRawPointer? { phase == .pending ? nil : Trampoline.thread }

    @discardableResult
    private func add(_ observer: Observer) -> FutureState.Addition {
        // Removed under the lock, released outside.
        var leftovers: [Observer] = []
        var target: AnyFuture?
        let thread = threadIfSettled
        let (addition, isForeign) = withState { state in
            if state.mayHaveLeftovers { leftovers = state.takeLeftovers() }
            let addition = state.add(observer, on: thread)
            if case .waitingForWork = addition { target = observer.unlinkedTarget }
            return (addition, observer.place == .foreign)
        }
        _ = consume leftovers
        if isForeign, thread != nil { allowOneMore() }
        carryOut(addition)
        if case .waitingForWork = addition { (target ?? observer.linkedTarget)?.setUpstream(self) }
        return addition
    }

    /// Removes an observer, with or without a token, and releases its captures.
    ///
    /// Its target is not notified.
    final func withdraw(_ observer: Observer) {
        if observer.link == nil {
            let (removal, hasWorker) = withState { ($0.remove(observer), $0.hasWorker) }
            if hasWorker { observersHaveChanged() }
            guard removal == .removed else { return }
        } else {
            guard observer.claim() else { return }
            forget(observer)
        }
        _ = observer.take()
    }

    /// How many registrations the future holds.
    ///
    /// A package hook for tests.
    package final var observerCount: Int { withState { Int($0.count) - $0.leftoverCount } }

    /// Records a registration by a task that a context runs at once, for the thread that dispatches it.
    ///
    /// A thread's own registrations stay on that thread.
    private func allowOneMore() {
        var next = ThreadState.current.pointee.draining
        while let frame = next {
            if frame.pointee.place == .onContext, frame.pointee.isOf(self) { return frame.pointee.ownAdditions += 1 }
            next = frame.pointee.outer
        }
    }

    private func carryOut(_ addition: FutureState.Addition) {
        switch addition {
        case .deliver: deliver()
        case .dispatch(let departures): dispatchInTurn(departures)
        case .waitingForWork: observersHaveChanged()
        case .waiting, .refused: break
        }
    }

    /// Removes an observer whose token has canceled it.
    final func forget(_ observer: Observer) {
        let hasWorker = withState { state in
            _ = state.remove(observer)
            return state.hasWorker
        }
        if hasWorker { observersHaveChanged() }
    }

    /// Updates the task behind a pending future, which may depend on whether the future has waiters.
    final func observersHaveChanged() { lifeline?.update() }

    /// Marks an observer as run or dropped by its context.
    ///
    /// Returns true the first time.
    final func claimDispatched(_ observer: Observer) -> Bool { withState { $0.claimDispatched(observer) } }

    /// Cancels everything registered on this future with a token.
    ///
    /// Canceled callbacks do not run, even if their context has already been asked to run them; futures derived with
    /// the token are canceled. The future itself and other registrations continue. The second half of a `flatMap` or
    /// `recoverWith` is registered on the inner future: only ``CancelToken/cancel()`` reaches it.
    ///
    /// The cost grows with the number of callbacks of the future, or of registrations with the token if those are
    /// fewer.
    ///
    /// - Returns: Whether there was anything to cancel.
    @discardableResult
    public final func cancel(_ token: CancelToken) -> Bool {
        let own = Int(withState { $0.count })
        guard own > 0, !token.isNone else { return false }
        let found =
            own <= token.linkCount
            ? withState { $0.observers(under: token) }.compactMap(\.link) : token.links(of: self)
        return token.detach(found)
    }
}
