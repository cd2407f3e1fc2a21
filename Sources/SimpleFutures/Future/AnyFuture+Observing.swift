extension AnyFuture {
    /// Registers code for the end of this future.
    ///
    /// - Parameters:
    ///   - kind: What it wants to hear, and what of it belongs on the context.
    ///   - context: The context of user code.
    ///   - token: Under which token it is registered.
    ///   - target: The future that the body settles. It is canceled when the link is detached, and loses a producer
    ///     when the link is lost.
    ///   - body: The code. It runs once at the most.
    @inlinable @inline(__always)
    package final func observe(
        _ kind: ObserverKind, on context: any ExecutionContext, under token: CancelToken,
        target: consuming AnyFuture? = nil, _ body: consuming @escaping ObserverBody
    ) {
        observe(kind, route: context._route, under: token, target: target, body)
    }

    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, route: consuming _Route, under token: CancelToken,
        target: consuming AnyFuture?, _ body: consuming @escaping ObserverBody
    ) {
        if route.kind == .immediate, token.isNone, deliverAtRest(kind, to: target, body) { return }
        observe(Callback(route: route, kind: kind, target: target, body: body), under: token)
    }

    /// Delivers at once to one who has just come, if nobody else is delivered to and no callback runs on this thread;
    /// false if not.
    @inline(__always)
    private func deliverAtRest(_ kind: ObserverKind, to target: AnyFuture?, _ body: ObserverBody) -> Bool {
        guard phase != .pending else { return false }
        let thread = ThreadState.current
        guard !thread.pointee.isActive, withState({ $0.beginAtRest() }) else { return false }
        Trampoline.whileActive(thread) { drain(on: thread) { deliver(kind, to: target, body, phase) } }
        return true
    }

    /// Registers plumbing: the body runs wherever the future is settled.
    ///
    /// Package hook.
    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, under token: CancelToken = .none, target: AnyFuture? = nil, _ body: @escaping ObserverBody
    ) {
        observe(Callback(route: .immediate, kind: kind, target: target, body: body), under: token)
    }

    final func observe(_ callback: consuming Callback, under token: CancelToken) {
        var callback: Callback? = consume callback
        if token.isNone, let addition = addFirst(&callback) {
            carryOut(addition)
            if case .waitingForWork = addition { withState { $0.first.target }?.setUpstream(self) }
        } else if let callback {
            observe(Observer(callback), under: token)
        }
    }

    /// Registers an observer that the caller keeps, to ``withdraw(_:)`` it.
    final func observe(_ observer: Observer, under token: CancelToken) {
        guard !token.isNone else { return add(observer) }
        let link = ObserverLink(observer, of: self, under: token)
        observer.link = link
        // Registered with the token first, so that no delivery can come before there is something to claim.
        guard token.add(link) else { return link.detach() }
        add(observer)
    }

    @inline(__always)
    private func addFirst(_ callback: inout Callback?) -> FutureState.Addition? {
        withState { $0.add(&callback) }
    }

    private func add(_ observer: Observer) {
        // Taken out under the lock, and released outside.
        var leftovers: [Observer] = []
        var target: AnyFuture?
        let addition = withState { state in
            if state.mayHaveLeftovers { leftovers = state.takeLeftovers() }
            let addition = state.add(observer)
            if case .waitingForWork = addition { target = observer.unlinkedTarget }
            return addition
        }
        _ = consume leftovers
        carryOut(addition)
        if case .waitingForWork = addition { (target ?? observer.linkedTarget)?.setUpstream(self) }
    }

    /// Takes out an observer, whether it is under a token or not, and releases what it holds.
    ///
    /// Its target is not told.
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
    /// Package hook for tests.
    package final var observerCount: Int { withState { Int($0.count) - $0.leftoverCount } }

    private func carryOut(_ addition: FutureState.Addition) {
        switch addition {
        case .deliver: Trampoline.deliver(self)
        case .handOver(.queued): handOver(.queued, on: ThreadState.current)
        case .handOver(.foreign): Trampoline.handOver(self)
        case .waiting: if phase != .pending { allowOwn() }
        case .waitingForWork: observersHaveChanged()
        case .refused: break
        }
    }

    /// What a callback of this future registers on it is the delivering thread's own, and never leaves that.
    private func allowOwn() {
        if Trampoline.isDelivering(self) { withState { $0.allowOneMore() } }
    }

    /// Drops an observer whose token has given it up.
    final func forget(_ observer: Observer) {
        let hasWorker = withState { state in
            _ = state.remove(observer)
            return state.hasWorker
        }
        if hasWorker { observersHaveChanged() }
    }

    /// The work on the result of a pending future may depend on whether somebody waits.
    final func observersHaveChanged() { lifeline?.update(for: self) }

    /// The context has got round to an observer, or has dropped it: true the first time.
    final func arrive(_ observer: Observer) -> Bool { withState { $0.arrive(observer) } }

    /// Detaches what was registered on this future under a token.
    ///
    /// Detached callbacks do not run, not even those that their context has been asked to run and has not begun; the
    /// futures that were derived under the token are canceled. The future itself and other registrations go on. The
    /// second half of a `flatMap` or `recoverWith` is registered on the inner future: only ``CancelToken/cancel()``
    /// reaches it.
    ///
    /// The cost is in the number of callbacks of the future, or of registrations under the token if those are fewer.
    ///
    /// - Returns: Whether there was anything to detach.
    @discardableResult
    public final func cancel(_ token: CancelToken) -> Bool {
        let own = Int(withState { $0.count })
        guard own > 0, !token.isNone else { return false }
        let found =
            own <= token.linkCount
            ? withState { $0.observers(under: token) }.compactMap(\.link) : token.links(of: self)
        let links = found.filter { token.remove($0) }
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together { for link in links { link.detach() } }
        return !links.isEmpty
    }
}
