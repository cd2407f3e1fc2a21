// The work behind a pending future: a task, or a future that it is derived from.
//
// A waiter's priority reaches the tasks, whichever comes first: a future remembers the highest priority of its waiters
// and passes it on when work comes. If work comes to a future that had none, the futures derived from it learn of it.

extension AnyFuture {
    /// Sets the worker, held while the future is pending.
    ///
    /// A new one replaces the former one. Package hook.
    package final func setWorker(_ new: Worker) {
        let (released, news) = withState { state -> (Worker?, News) in
            let former = takeWorker(&state)
            guard state.gainWorker() else { return (new, News()) }
            Payload.put(new, into: rawPayload)
            return (former, News(to: state, isFirst: former == nil))
        }
        released?.letGo()
        new.raise(to: news.priority)
        if news.concernOthers { passWorkOn() }
    }

    /// Holds the future that this one is derived from, so that a waiter's priority reaches the task behind it.
    ///
    /// A task of this future's own takes precedence.
    final func setUpstream(_ source: AnyFuture) { if gainUpstream(source) { passWorkOn() } }

    /// Returns whether futures derived from this one must learn of it.
    private final func gainUpstream(_ source: AnyFuture) -> Bool {
        guard source !== self, phase == .pending else { return false }
        let (former, news) = withState { state -> (Worker?, News) in
            let former = storedWorker(state)
            switch former {
            case .task, .throwingTask: return (former, News())
            case .lifeline(let lifeline): lifeline.add(source)
            case .upstream, nil:
                _ = takeWorker(&state)
                guard state.gainWorker() else { return (former, News()) }
                Payload.put(.upstream(source), into: rawPayload)
            }
            return (former, News(to: state, isFirst: former == nil))
        }
        _ = consume former
        if news.priority > 0 { source.raise(to: TaskPriority(rawValue: news.priority)) }
        return news.concernOthers
    }

    private final func passWorkOn() {
        var sources = [self]
        while let source = sources.popLast() {
            for target in source.targets where target.gainUpstream(source) { sources.append(target) }
        }
    }

    /// Makes room for other sources when one of many has ended.
    final func removeUpstream(_ source: AnyFuture) {
        guard phase == .pending else { return }
        withState { storedWorker($0)?.lifeline?.remove(source) }
    }

    /// Releases the upstream future if it has ended: from now on this future waits for another one, and the value of the
    /// first is not kept for so long.
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

    /// How many futures a waiter visits to find tasks to raise.
    ///
    /// More tasks than processors gain nothing from a higher priority. Package hook.
    package static let mostUpstreams = 1_000

    /// Raises the tasks behind this future and behind its sources to the priority of a waiter, also those that come
    /// later.
    ///
    /// Sources that know this priority were visited before. Package hook.
    ///
    /// - Returns: Whether there may be a task already.
    @discardableResult
    package final func raise(to priority: TaskPriority) -> Bool {
        guard phase == .pending else { return false }
        var sources: [AnyFuture] = []
        let hasWork = raise(to: priority.rawValue, &sources)
        var visited = 1
        while visited < Self.mostUpstreams, let source = sources.popLast() {
            visited += 1
            _ = source.raise(to: priority.rawValue, &sources)
        }
        return hasWork
    }

    private final func raise(to priority: UInt8, _ sources: inout [AnyFuture]) -> Bool {
        let (worker, hasWork) = withState { state -> (Worker?, Bool) in
            guard state.phase == .pending else { return (nil, false) }
            guard state.waitersPriority < priority else { return (nil, state.hasWorker) }
            state.waitersPriority = priority
            let worker = storedWorker(state)
            if let worker { sources += worker.sources }
            return (worker, state.hasWorker)
        }
        worker?.raise(to: priority)
        return hasWork
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

/// What follows when work has come to a future.
private struct News {
    /// The priority of the future's waiters; zero if there are none.
    var priority: UInt8 = 0
    /// Whether the future had no work before, and there may be futures derived from it.
    var concernOthers = false

    init() {}

    init(to state: borrowing FutureState, isFirst: Bool) {
        priority = state.waitersPriority
        concernOthers = isFirst && state.count > 0
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
