// The work behind a pending future: a task, or a future that it is derived from.
//
// A waiter's priority also reaches tasks that come later: a future remembers the highest priority of its waiters, and
// passes it on when work comes. If work comes to a future that had none, the futures derived from it are told. A
// user's task may handle the change of its priority: that handler runs on the thread that sets the worker.

extension AnyFuture {
    /// Sets the worker, held while the future is pending.
    ///
    /// A new one replaces the former one. Package hook.
    package final func setWorker(_ new: Worker) {
        let (released, change) = withState { state -> (Worker?, WorkChange) in
            let former = takeWorker(&state)
            guard state.gainWorker() else { return (new, WorkChange()) }
            Payload.put(new, into: rawPayload)
            return (former, WorkChange(of: state, isFirst: former == nil))
        }
        released?.letGo()
        new.raise(to: change.priority)
        if change.mustTellTargets { passWorkOn() }
    }

    /// Holds the future that this one is derived from, so that a waiter's priority reaches the task behind it.
    ///
    /// A task of this future's own takes precedence.
    final func setUpstream(_ source: AnyFuture) { if gainUpstream(source) { passWorkOn() } }

    /// Like `setUpstream`; returns whether the futures derived from this one must be told.
    ///
    /// - Parameter isLate: Whether this future was derived before the source had work: then it may know the source, or
    ///   have a newer one.
    private final func gainUpstream(_ source: AnyFuture, isLate: Bool = false) -> Bool {
        guard source !== self, phase == .pending else { return false }
        let (former, change) = withState { state -> (Worker?, WorkChange) in
            // Checked under the lock: a source that has ended must not replace the next one, which is set later.
            guard source.phase == .pending else { return (nil, WorkChange()) }
            let former = storedWorker(state)
            switch former {
            case .task, .throwingTask: break
            case .lifeline(let lifeline): if !isLate || !lifeline.has(source) { lifeline.add(source) }
            case .upstream(let known) where isLate && known.phase == .pending: break
            case .upstream, nil:
                _ = takeWorker(&state)
                guard state.gainWorker() else { return (former, WorkChange()) }
                Payload.put(.upstream(source), into: rawPayload)
            }
            return (former, WorkChange(of: state, isFirst: former == nil))
        }
        _ = consume former
        if change.priority > 0 { source.raise(to: TaskPriority(rawValue: change.priority)) }
        return change.mustTellTargets
    }

    private final func passWorkOn() {
        var sources = [self]
        while let source = sources.popLast() {
            for target in source.targets where target.gainUpstream(source, isLate: true) { sources.append(target) }
        }
    }

    /// Makes room for other sources when one of many has ended.
    final func removeUpstream(_ source: AnyFuture) {
        guard phase == .pending else { return }
        withState { storedWorker($0)?.lifeline?.remove(source) }
    }

    /// Releases the upstream future if it has ended: from now on this future waits for another one, and the value of
    /// the first is not kept for so long.
    final func leaveSettledUpstream() {
        guard phase == .pending else { return }
        let former = withState { state -> Worker? in
            guard case .upstream(let upstream) = storedWorker(state), upstream.phase != .pending else { return nil }
            return takeWorker(&state)
        }
        _ = consume former
    }

    /// Sets the upstream future if the source has a worker: for a future that a task behind a derived one awaits.
    ///
    /// Package hook.
    package final func inheritWork(of source: AnyFuture) { if source.mayHaveWork { setUpstream(source) } }

    /// Whether the future is pending and may have a task, or be derived from one that has.
    final var mayHaveWork: Bool { phase == .pending && withState { $0.hasWorker } }

    /// The worker, if the future is pending and has one.
    ///
    /// Package hook.
    package final var worker: Worker? { phase == .pending ? withState { storedWorker($0) } : nil }

    /// The lifeline, which keeps the future alive while it has waiters, if it is pending and has one.
    final var lifeline: Lifeline? { withState { storedWorker($0)?.lifeline } }

    /// The sources of this future that have a task, or are derived from a future that has one.
    ///
    /// None if this future has ended. A package hook for tests.
    package final var upstreams: [AnyFuture] { withState { storedWorker($0)?.sources ?? [] } }

    // MARK: Priority

    /// Raises the tasks behind this future and behind its sources to the priority of a waiter, now and when they come.
    ///
    /// Each future is visited once for each priority: it remembers the highest one. Package hook.
    ///
    /// - Returns: Whether there may be a task already.
    @discardableResult
    package final func raise(to priority: TaskPriority) -> Bool {
        guard phase == .pending else { return false }
        let (isHigher, hasWork) = withState { ($0.remember(priority.rawValue), $0.hasWorker) }
        if isHigher, hasWork { raiseWork(to: priority.rawValue) }
        return hasWork
    }

    @inline(never)
    private final func raiseWork(to priority: UInt8) {
        var futures = [self]
        while let future = futures.popLast() {
            future.worker?.raise(to: priority)
            futures += future.upstreams.filter { $0.withState { $0.remember(priority) } }
        }
    }

    // MARK: Under the lock

    private final func storedWorker(_ state: borrowing FutureState) -> Worker? {
        state.hasWorker ? Payload.worker(rawPayload) : nil
    }

    private final func takeWorker(_ state: inout FutureState) -> Worker? {
        guard state.hasWorker else { return nil }
        state.loseWorker()
        return Payload.takeWorker(rawPayload)
    }
}

/// A change of the work behind a future.
private struct WorkChange {
    /// The priority of the future's waiters; zero if there are none.
    var priority: UInt8 = 0
    /// Whether the future had no work before, and there may be futures derived from it.
    var mustTellTargets = false

    init() {}

    init(of state: borrowing FutureState, isFirst: Bool) {
        priority = state.waitersPriority
        mustTellTargets = isFirst && state.count > 0
    }
}

extension Worker {
    /// The futures in which the work is done, if it is not a task.
    ///
    /// Read under the lock of the future.
    fileprivate var sources: [AnyFuture] {
        switch self {
        case .upstream(let source): [source]
        case .lifeline(let lifeline): lifeline.upstreams.compactMap(\.future)
        case .task, .throwingTask: []
        }
    }

    /// Raises the task, if the worker is one.
    fileprivate func raise(to priority: UInt8) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), priority > 0 else { return }
        switch self {
        case .task(let task): task.escalatePriority(to: TaskPriority(rawValue: priority))
        case .throwingTask(let task): task.escalatePriority(to: TaskPriority(rawValue: priority))
        case .upstream, .lifeline: break
        }
    }
}

extension AnyFuture {
    /// The futures that observers are to settle.
    fileprivate final var targets: [AnyFuture] {
        let (known, linked) = withState { $0.targets }
        return known + linked.compactMap(\.linkedTarget)
    }
}

extension FutureState {
    /// Records the priority of a waiter, and returns whether it is higher than those before.
    fileprivate mutating func remember(_ priority: UInt8) -> Bool {
        guard waitersPriority < priority else { return false }
        waitersPriority = priority
        return true
    }

    /// The targets of observers without a token, and the observers with one.
    fileprivate var targets: (known: [AnyFuture], linked: [Observer]) {
        var (known, linked): ([AnyFuture], [Observer]) = ([], [])
        let target = first.read { $0.kind.isOfMany ? $0.inputs.target : $0.target } ?? nil
        if let target { known.append(target) }
        for list in lists {
            list.forEach { observer in
                let target = observer.kind.isOfMany ? observer.route.inputs.target : observer.unlinkedTarget
                if let target { known.append(target) } else if observer.link != nil { linked.append(observer) }
            }
        }
        return (known, linked)
    }
}
