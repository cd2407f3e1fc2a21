/// Shares work between all callers that want the same result at the same time, by key.
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
/// is canceled by its token; with a grace period, if no call has come when that is over. Work that ends in its grace period
/// ends as any other: a value is kept if you say so, a failure is not.
///
/// A failure reaches the callers that wait for it; the next call starts the work again. A value is kept for the time
/// that you specify; by default it is not kept.
///
/// Returned futures outlive this object. When it is released, work in its grace period is canceled. Keys are hashed and
/// compared under a lock, so `==` and `hash(into:)` must not call the same `SharedWork`.
///
/// Work without a key is shared in the same way:
///
///     let profile = SharedWork<WithoutKey, Profile> { token in client.profile(cancelToken: token) }
///     profile.future().onSuccess(isolated: { show($0) })
public final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let entries = Lock<[Key: SharedEntry]>([:])
    @usableFromInline let lifetime: Duration?
    private let gracePeriod: Duration
    private let context: any ExecutionContext
    private let work: @Sendable (Key, CancelToken) -> Future<Value>

    /// Creates an object that shares work by key.
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept; nil means forever, zero not at all.
    ///   - gracePeriod: How long work continues without a caller.
    ///   - context: Runs the timers. With a ``ManualContext``, waiting takes no real time.
    ///   - work: Starts the work for a key, on the thread of the first caller. It is not called again for the key until
    ///     the work has ended. The token is canceled when the last caller has left. Work must not wait for its own key:
    ///     if it returns the key's future, it fails with ``FuturesError/invalidCompletion``; if it returns a future that
    ///     is derived from that one, it never ends.
    public init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        work: @escaping @Sendable (Key, CancelToken) -> Future<Value>
    ) {
        self.lifetime = lifetime.map { max($0, .zero) }
        self.gracePeriod = gracePeriod
        self.context = context
        self.work = work
    }

    /// Returns a future of the result for a key.
    ///
    /// Starts the work unless it is already running or its value is kept.
    ///
    /// - Parameters:
    ///   - key: Names the work.
    ///   - cancelToken: Cancels the returned future. Other callers, and the work for them, go on. If it is canceled
    ///     already, no work is started.
    @inlinable
    public func future(for key: Key, cancelToken: CancelToken = .none) -> Future<Value> {
        cancelToken == .none ? join(key) : joined(key, under: cancelToken)
    }

    /// Removes the work and the value for a key, so that the next call starts the work again.
    ///
    /// Running work continues for its current callers, and is canceled when the last of them leaves.
    public func forget(_ key: Key) { remove(key)?.end() }

    deinit {
        for entry in entries.exchange([:]).values { entry.end() }
    }

    /// The number of keys with running work or a kept value.
    public var count: Int { entries.withLock { $0.count } }

    // MARK: Joining

    // Inlinable, so that the compiler specializes the search for a key in the user's module (row 17 of the benchmarks).
    @inlinable
    func join(_ key: Key) -> Future<Value> {
        let joined = entries.withLock { SharedEntry.join(&$0[key], keepsValue: lifetime != .zero) { Future<Value>() } }
        let shared = joined.shared.future(of: Value.self)
        if !joined.isRunning { begin(joined, key) { forward($0, to: $1, as: Value.self) } }
        return shared
    }

    /// Starts the work for its first caller, or connects work in its grace period with a new one.
    @usableFromInline
    func begin(_ joined: SharedEntry.Joined, _ key: Key, forwarding forward: @escaping ObserverBody) {
        switch joined {
        case .running: break
        case .again(let entry, let shared, let source, let timer):
            timer?.cancel()
            if let source { link(shared, to: source, entry, key, forward) }
        case .first(let entry, let shared, let former, _):
            former?.timer?.cancel()
            let source = work(key, entry.token)
            entries.withLock { _ in entry.source = source }
            link(shared, to: source, entry, key, forward)
        }
    }

    /// Returns a future of the caller's own, which the token cancels alone.
    @usableFromInline
    func joined(_ key: Key, under token: CancelToken) -> Future<Value> {
        let own = Future<Value>()
        guard !token.isCancelled else {
            own.cancelAsTarget()
            return own
        }
        join(key).observe(.forwarding, under: token, leavingWith: own) { source, target in
            forward(source, to: target, as: Value.self)
        }
        return own
    }

    /// Passes the result on to the shared future, without keeping that alive.
    private func link(
        _ shared: AnyFuture, to source: AnyFuture, _ entry: SharedEntry, _ key: Key, _ forward: @escaping ObserverBody
    ) {
        shared.observe(.plumbing) { [weak self, entries] shared, _ in
            guard let self else {
                // There may be a new caller; its future is released outside the lock.
                let current = entries.withLock { _ in entry.kept ?? entry.shared }
                if shared.phase == .abandoned, current == nil { entry.token.cancel() }
                return
            }
            switch shared.phase {
            case .abandoned: lastHasLeft(key, entry)
            case .succeeded: keep(shared, key, entry)
            case .pending, .failed, .cancelled: remove(key, entry)
            }
        }
        guard source !== shared else { return shared.completeWithItself(createdAt: nil) }
        // Other callers may have joined while the work was started. The only other observer is the one above.
        source.observe(.forwarding, leavingWith: shared, ownObservers: 1, forward)
    }

    // MARK: The end

    private func lastHasLeft(_ key: Key, _ entry: SharedEntry) {
        let (leaves, current) = entries.withLock { entries -> (Int?, AnyFuture?) in
            // There may be a new caller, also of forgotten work; a value that came without a caller may be kept already.
            if let future = entry.kept ?? entry.shared { return (nil, future) }
            guard entries[key] === entry else { return (nil, nil) }
            entry.leaves += 1
            return (entry.leaves, nil)
        }
        if let leaves { wait(key, entry, leaves) } else if current == nil { entry.token.cancel() }
    }

    /// Waits for the grace period, or for the end of the work.
    private func wait(_ key: Key, _ entry: SharedEntry, _ leaves: Int) {
        guard gracePeriod > .zero else { return stop(key, entry, leaves) }
        if watch(key, entry) { return }
        let timer = context.execute(after: gracePeriod) { [weak self] in self?.stop(key, entry, leaves) }
        // One caller may have come and gone before its last timer was there, so that there are two.
        let (superfluous, _) = entries.withLock { entries -> (Registration?, AnyFuture?) in
            guard entries[key] === entry, entry.leaves == leaves else { return (timer, nil) }
            if let shared = entry.shared { return (timer, shared) }
            defer { entry.timer = timer }
            return (entry.timer, nil)
        }
        superfluous?.cancel()
    }

    /// Sees to it that the end of the work is noticed while there is no caller; of one that there is, `link` takes care.
    ///
    /// - Returns: Whether it has ended already.
    private func watch(_ key: Key, _ entry: SharedEntry) -> Bool {
        let (source, isWatched) = entries.withLock { _ in
            defer { entry.isWatched = true }
            return (entry.source, entry.isWatched)
        }
        guard let source else { return false }
        if source.phase != .pending {
            hasEndedAlone(source, key, entry)
            return true
        }
        if !isWatched {
            // Weak, since the entry holds the source. Under the token, because a source that ignores it stays pending.
            source.observe(.plumbing, under: entry.token) { [weak self, weak entry] source, _ in
                if let self, let entry { hasEndedAlone(source, key, entry) }
            }
        }
        return false
    }

    private func hasEndedAlone(_ source: AnyFuture, _ key: Key, _ entry: SharedEntry) {
        let keeps = source.phase == .succeeded && lifetime != .zero
        // The last two are released outside the lock.
        let (timer, isKept, _, _) = entries.withLock {
            entries -> (Registration?, Bool, AnyFuture?, (Key, SharedEntry)?) in
            guard let index = entries.index(forKey: key), entries[index].value === entry, entry.kept == nil else {
                return (nil, false, nil, nil)
            }
            // A new caller gets the result.
            if let shared = entry.shared { return (nil, false, shared, nil) }
            let timer = entry.timer.take()
            entry.leaves += 1
            guard keeps else { return (timer, false, nil, entries.remove(at: index)) }
            (entry.kept, entry.source) = (source, nil)
            return (timer, true, nil, nil)
        }
        timer?.cancel()
        if isKept { limitLife(key, entry) }
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
        guard lifetime != .zero else {
            remove(key, entry)
            return
        }
        let (isThere, _) = entries.withLock { entries -> (Bool, AnyFuture?) in
            guard entries[key] === entry, entry.kept == nil else { return (false, nil) }
            let source = entry.source
            (entry.kept, entry.source) = (shared, nil)
            return (true, source)
        }
        if isThere { limitLife(key, entry) }
    }

    private func limitLife(_ key: Key, _ entry: SharedEntry) {
        guard let lifetime else { return }
        let timer = context.execute(after: lifetime) { [weak self] in _ = self?.remove(key, entry) }
        let superfluous = entries.withLock { entries -> Registration? in
            guard entries[key] === entry else { return timer }
            defer { entry.timer = timer }
            return entry.timer
        }
        superfluous?.cancel()
    }

    /// Removes the entry for a key.
    ///
    /// With an entry, removes only that one.
    ///
    /// Key and entry are returned out of the lock, because releasing them may run user code.
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
