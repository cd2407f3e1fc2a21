/// Work that is done once for all callers that want its result at the same time, by key.
///
///     final class Images: Sendable {
///         private let loads = SharedWork<URL, Image>(keepingResultsFor: .seconds(60)) { url, token in
///             client.image(at: url, cancelToken: token)
///         }
///
///         func image(at url: URL) -> Future<Image> { loads.future(for: url) }
///     }
///
/// The first call for a key starts the work. Every call while it is under way gets its result: with callbacks, by an
/// `await`, or as the source of other futures. When the last caller has left and the future has been released, the work
/// is canceled by its token; with a grace period, if no call has come when that is over.
///
/// A failure goes to the callers that wait for it; the next call starts the work anew. A value is kept for as long as
/// you say; by default it is not kept.
///
/// Futures that were returned outlive this object. When it is released, work that is in its grace period is canceled.
/// Keys are hashed and compared under a lock, so `==` and `hash(into:)` must not call the same `SharedWork`.
///
/// Work without a key is shared in the same way:
///
///     let session = SharedWork<WithoutKey, Session> { token in client.login(cancelToken: token) }
///     session.future().onSuccess { use($0) }
public final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let entries = Lock<[Key: SharedEntry]>([:])
    private let lifetime: Duration?
    private let gracePeriod: Duration
    private let context: any ExecutionContext
    private let work: @Sendable (Key, CancelToken) -> Future<Value>

    /// Creates a place for work that is shared by key.
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means forever, zero not at all.
    ///   - gracePeriod: How long work goes on without a caller that waits for it.
    ///   - context: Its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - work: Starts the work for a key: on the thread of the first caller, once until it has ended. The token is
    ///     canceled when the last caller has left.
    public init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        work: @escaping @Sendable (Key, CancelToken) -> Future<Value>
    ) {
        self.lifetime = lifetime
        self.gracePeriod = gracePeriod
        self.context = context
        self.work = work
    }

    /// Returns a future of the result for a key; the work is started if it is not under way.
    ///
    /// - Parameters:
    ///   - key: Names the work.
    ///   - cancelToken: Cancels the returned future. Other callers, and the work for them, go on.
    public func future(for key: Key, cancelToken: CancelToken = .none) -> Future<Value> {
        let shared = join(key)
        guard cancelToken != .none else { return shared }
        let own = Future<Value>()
        shared.observe(.forwarding, under: cancelToken, leavingWith: own) { source, target in
            forward(source, to: target, as: Value.self)
        }
        return own
    }

    /// Forgets the work and the value for a key: the next call starts the work anew.
    ///
    /// Work that is under way goes on for the callers it has, and is canceled when the last of them leaves.
    public func forget(_ key: Key) { remove(key)?.end() }

    deinit {
        for entry in entries.withLock({ $0 }).values { entry.end() }
    }

    /// The number of keys with work under way or a value that is kept.
    public var count: Int { entries.withLock { $0.count } }

    // MARK: Joining

    private func join(_ key: Key) -> Future<Value> { unsafeDowncast(joined(key), to: Future<Value>.self) }

    private func joined(_ key: Key) -> AnyFuture {
        let joined = entries.withLock { entries -> Joined in
            guard let entry = entries[key] else {
                let (entry, shared) = (SharedEntry(), Future<Value>())
                entry.shared = shared
                entries[key] = entry
                return .first(entry, shared)
            }
            if let future = entry.kept ?? entry.shared { return .running(future) }
            let (shared, timer) = (Future<Value>(), entry.timer)
            (entry.shared, entry.timer) = (shared, nil)
            return .again(entry, shared, source: entry.source, timer)
        }
        switch joined {
        case .running(let shared): return shared
        case .again(let entry, let shared, let source, let timer):
            timer?.cancel()
            if let source { link(shared, to: source, entry, key) }
            return shared
        case .first(let entry, let shared):
            let source = work(key, entry.token)
            entries.withLock { entries in
                if entries[key] === entry { entry.source = source }
            }
            link(shared, to: source, entry, key)
            return shared
        }
    }

    /// Passes the result on to the shared future, without keeping it alive.
    private func link(_ shared: AnyFuture, to source: AnyFuture, _ entry: SharedEntry, _ key: Key) {
        shared.observe(.plumbing) { [weak self] shared, _ in
            guard let self else {
                if shared.phase == .abandoned { entry.token.cancel() }
                return
            }
            switch shared.phase {
            case .abandoned: lastHasLeft(key, entry)
            case .succeeded: keep(shared, key, entry)
            case .pending, .failed, .cancelled: remove(key, entry)
            }
        }
        source.observe(.forwarding, leavingWith: shared) { source, target in
            if let target { forward(source, to: target, as: Value.self) }
        }
    }

    // MARK: The end

    private func lastHasLeft(_ key: Key, _ entry: SharedEntry) {
        let left = entries.withLock { entries -> Left in
            guard entries[key] === entry else { return .forgotten }
            if let shared = entry.shared { return .joined(shared) }
            entry.leaves += 1
            return .alone(leaves: entry.leaves)
        }
        switch left {
        case .forgotten: entry.token.cancel()
        case .joined: break
        case .alone(let leaves): wait(key, entry, leaves)
        }
    }

    /// Waits for the grace period.
    private func wait(_ key: Key, _ entry: SharedEntry, _ leaves: Int) {
        guard gracePeriod > .zero else { return stop(key, entry, leaves) }
        let timer = context.execute(after: gracePeriod) { [weak self] in self?.stop(key, entry, leaves) }
        let (isLate, _) = entries.withLock { entries -> (Bool, AnyFuture?) in
            guard entries[key] === entry, entry.leaves == leaves else { return (true, nil) }
            if let shared = entry.shared { return (true, shared) }
            entry.timer = timer
            return (false, nil)
        }
        if isLate { timer.cancel() }
    }

    private func stop(_ key: Key, _ entry: SharedEntry, _ leaves: Int) {
        let (stops, _, _) = entries.withLock { entries -> (Bool, AnyFuture?, (Key, SharedEntry)?) in
            guard let index = entries.index(forKey: key), entries[index].value === entry, entry.leaves == leaves else {
                return (false, nil, nil)
            }
            if let shared = entry.shared { return (false, shared, nil) }
            return (true, nil, entries.remove(at: index))
        }
        if stops { entry.token.cancel() }
    }

    private func keep(_ shared: AnyFuture, _ key: Key, _ entry: SharedEntry) {
        if let lifetime, lifetime <= .zero {
            remove(key, entry)
            return
        }
        let (isThere, _) = entries.withLock { entries -> (Bool, AnyFuture?) in
            guard entries[key] === entry else { return (false, nil) }
            let source = entry.source
            (entry.kept, entry.source) = (shared, nil)
            return (true, source)
        }
        guard isThere, let lifetime else { return }
        let timer = context.execute(after: lifetime) { [weak self] in _ = self?.remove(key, entry) }
        let isLate = entries.withLock { entries in
            guard entries[key] === entry else { return true }
            entry.timer = timer
            return false
        }
        if isLate { timer.cancel() }
    }

    /// Removes what there is for a key, if it is this entry or none is named.
    ///
    /// Key and entry leave the lock with it, since their release may run code of the user's.
    @discardableResult
    private func remove(_ key: Key, _ entry: SharedEntry? = nil) -> SharedEntry? {
        entries.withLock { entries -> (key: Key, value: SharedEntry)? in
            guard let index = entries.index(forKey: key), entry == nil || entries[index].value === entry else {
                return nil
            }
            return entries.remove(at: index)
        }?.value
    }
}

// What follows is not generic, which takes 40 percent off the time of a call (row 17 of the benchmarks).

/// What there is for a caller.
private enum Joined {
    case running(AnyFuture)
    /// The work is in its grace period, which this timer would end.
    case again(SharedEntry, AnyFuture, source: AnyFuture?, Registration?)
    case first(SharedEntry, AnyFuture)
}

/// What there is when the last caller has left.
private enum Left {
    /// The work was forgotten.
    case forgotten
    /// A new caller has come; its future is released outside of the lock.
    case joined(AnyFuture)
    case alone(leaves: Int)
}

/// Work that is under way, or has left a value.
private final class SharedEntry: @unchecked Sendable {
    // Sendable, because what changes is reached under the lock of its `SharedWork`, and no more once that has removed it.

    /// Stops the work.
    let token = CancelToken()
    /// The future that callers have; only they keep it alive.
    weak var shared: AnyFuture?
    /// The future that the work has returned, until it is completed.
    var source: AnyFuture?
    /// A value that is kept.
    var kept: AnyFuture?
    /// The end of the grace period, or of the value.
    var timer: Registration?
    /// How often the last caller has left, so that a grace period that was canceled too late ends nothing.
    var leaves = 0

    /// Ends what no caller waits for.
    ///
    /// Of work that has callers, the last to leave cancels the token.
    func end() {
        timer?.cancel()
        if shared == nil, kept == nil { token.cancel() }
    }
}

/// The key of work that has none: see ``SharedWork``.
public struct WithoutKey: Hashable, Sendable {
    /// Creates the key.
    public init() {}
}

extension SharedWork where Key == WithoutKey {
    /// Creates a place for one piece of work that is shared.
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means forever, zero not at all.
    ///   - gracePeriod: How long work goes on without a caller that waits for it.
    ///   - context: Its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - work: Starts the work: on the thread of the first caller, once until it has ended. The token is canceled
    ///     when the last caller has left.
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        work: @escaping @Sendable (CancelToken) -> Future<Value>
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { _, token in work(token) }
    }

    /// Returns a future of the result; the work is started if it is not under way.
    ///
    /// - Parameter cancelToken: Cancels the returned future. Other callers, and the work for them, go on.
    public func future(cancelToken: CancelToken = .none) -> Future<Value> {
        future(for: WithoutKey(), cancelToken: cancelToken)
    }

    /// Forgets the work and the value that is kept: the next call starts the work anew.
    public func forget() { forget(WithoutKey()) }
}
