/// Work that is done once for all who want its result at the same time, by key.
///
///     final class Images: Sendable {
///         private let loads = SharedWork<URL, Image>(keepingResultsFor: .seconds(60)) { url, token in
///             client.image(at: url, cancelToken: token)
///         }
///
///         func image(at url: URL) -> Future<Image> { loads.future(for: url) }
///     }
///
/// The first who asks for a key starts the work. All who ask while it is under way get its result: with callbacks, by an
/// `await`, or as the source of other futures. When the last of them has left and nobody holds the future any more, the
/// work is cancelled by its token; with a grace period, if nobody has asked again when that is over.
///
/// A failure is for those who have asked for it; the next one starts anew. A value is kept for as long as you say, not at
/// all by default.
///
/// Work without a key is shared in the same way:
///
///     let session = SharedWork<WithoutKey, Session> { token in client.login(cancelToken: token) }
///     session.future().onSuccess { use($0) }
public final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Work that is under way, or has left a value.
    private struct Entry {
        let id: UInt64
        /// What those have who have asked, who alone keep it.
        weak var shared: Future<Value>?
        /// Stops the work.
        let token: CancelToken
        /// What the work has returned, as long as it is under way.
        var source: Future<Value>?
        /// A value that is kept.
        var kept: Future<Value>?
        /// The end of the grace period, or of the value.
        var timer: Registration?
        /// Counts how often the last one has left, so that a grace period that was called off too late ends nothing.
        var leaves = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Lock(State())
    private let lifetime: Duration?
    private let gracePeriod: Duration
    private let context: any ExecutionContext
    private let work: @Sendable (Key, CancelToken) -> Future<Value>

    /// Creates a place for work that is shared by key.
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means for ever, zero not at all.
    ///   - gracePeriod: How long work goes on that nobody waits for.
    ///   - context: Its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - work: Starts the work for a key: on the thread of the first who asks, once until it has ended. The token is
    ///     cancelled when nobody wants the result any more.
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

    /// A future of the result for a key, of work that is under way, or that is started.
    ///
    /// - Parameters:
    ///   - key: What is asked for.
    ///   - cancelToken: Detaches this one who asks; the future is then cancelled. The others go on.
    public func future(for key: Key, cancelToken: CancelToken = .none) -> Future<Value> {
        let shared = join(key)
        guard cancelToken != .none else { return shared }
        let own = Future<Value>()
        shared.observe(.forwarding, under: cancelToken, leavingWith: own) { source, target in
            forward(source, to: target, as: Value.self)
        }
        return own
    }

    /// Forgets what there is for a key: those who ask from now on start the work anew.
    ///
    /// Work that is under way goes on for those who have asked.
    public func forget(_ key: Key) {
        let entry = state.withLock { $0.entries.removeValue(forKey: key) }
        entry?.timer?.cancel()
    }

    /// For how many keys there is work under way or a value kept.
    public var count: Int { state.withLock { $0.entries.count } }

    // MARK: Those who ask

    private enum Joined {
        case running(Future<Value>)
        /// The work goes on, and nobody has waited for it.
        case again(Entry, Future<Value>)
        case first(Entry, Future<Value>)
    }

    private func join(_ key: Key) -> Future<Value> {
        let joined = state.withLock { state -> Joined in
            guard var entry = state.entries[key] else {
                state.lastID += 1
                let shared = Future<Value>()
                let entry = Entry(id: state.lastID, shared: shared, token: CancelToken())
                state.entries[key] = entry
                return .first(entry, shared)
            }
            if let there = entry.kept ?? entry.shared { return .running(there) }
            let shared = Future<Value>()
            let former = entry
            (entry.shared, entry.timer) = (shared, nil)
            state.entries[key] = entry
            return .again(former, shared)
        }
        switch joined {
        case .running(let shared): return shared
        case .again(let entry, let shared):
            entry.timer?.cancel()
            if let source = entry.source { link(shared, to: source, entry, key) }
            return shared
        case .first(let entry, let shared):
            let source = work(key, entry.token)
            state.withLock { state in
                if state.entries[key]?.id == entry.id { state.entries[key]?.source = source }
            }
            link(shared, to: source, entry, key)
            return shared
        }
    }

    /// Nobody keeps the shared future but those who wait for it or hold it.
    private func link(_ shared: Future<Value>, to source: Future<Value>, _ entry: Entry, _ key: Key) {
        let (id, token) = (entry.id, entry.token)
        shared.observe(.plumbing) { [weak self] shared, _ in
            guard let self else {
                if shared.phase == .abandoned { token.cancel() }
                return
            }
            switch shared.phase {
            case .abandoned: lastHasLeft(key, id)
            case .succeeded: keep(unsafeDowncast(shared, to: Future<Value>.self), key, id)
            case .pending, .failed, .cancelled: remove(key, id)
            }
        }
        source.observe(.forwarding, leavingWith: shared) { source, target in
            if let target { forward(source, to: target, as: Value.self) }
        }
    }

    // MARK: The end

    private func lastHasLeft(_ key: Key, _ id: UInt64) {
        // Whoever is there again is released outside of the lock.
        let (leaves, _) = state.withLock { state -> (Int?, Future<Value>?) in
            guard let entry = state.entries[key], entry.id == id else { return (nil, nil) }
            if let there = entry.shared { return (nil, there) }
            state.entries[key]?.leaves += 1
            return (entry.leaves + 1, nil)
        }
        guard let leaves else { return }
        guard gracePeriod > .zero else { return stop(key, id, leaves) }
        let timer = context.execute(after: gracePeriod) { [weak self] in self?.stop(key, id, leaves) }
        let (isLate, _) = state.withLock { state -> (Bool, Future<Value>?) in
            guard let entry = state.entries[key], entry.id == id, entry.leaves == leaves else { return (true, nil) }
            if let there = entry.shared { return (true, there) }
            state.entries[key]?.timer = timer
            return (false, nil)
        }
        if isLate { timer.cancel() }
    }

    private func stop(_ key: Key, _ id: UInt64, _ leaves: Int) {
        let (entry, _) = state.withLock { state -> (Entry?, Future<Value>?) in
            guard let entry = state.entries[key], entry.id == id, entry.leaves == leaves else { return (nil, nil) }
            if let there = entry.shared { return (nil, there) }
            return (state.entries.removeValue(forKey: key), nil)
        }
        entry?.token.cancel()
    }

    private func keep(_ shared: Future<Value>, _ key: Key, _ id: UInt64) {
        if let lifetime, lifetime <= .zero { return remove(key, id) }
        let former = state.withLock { state -> Entry? in
            guard let entry = state.entries[key], entry.id == id else { return nil }
            state.entries[key]?.kept = shared
            state.entries[key]?.source = nil
            return entry
        }
        guard former != nil, let lifetime else { return }
        let timer = context.execute(after: lifetime) { [weak self] in self?.remove(key, id) }
        state.withLock { state in
            if state.entries[key]?.id == id { state.entries[key]?.timer = timer }
        }
    }

    private func remove(_ key: Key, _ id: UInt64) {
        let entry = state.withLock { state in
            state.entries[key]?.id == id ? state.entries.removeValue(forKey: key) : nil
        }
        withExtendedLifetime(entry) {}
    }
}

/// The key of work that has none: see ``SharedWork``.
public struct WithoutKey: Hashable, Sendable {
    /// Creates the only one there is.
    public init() {}
}

extension SharedWork where Key == WithoutKey {
    /// Creates a place for one piece of work that is shared.
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means for ever, zero not at all.
    ///   - gracePeriod: How long work goes on that nobody waits for.
    ///   - context: Its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - work: Starts the work: on the thread of the first who asks, once until it has ended. The token is cancelled
    ///     when nobody wants the result any more.
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        work: @escaping @Sendable (CancelToken) -> Future<Value>
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { _, token in work(token) }
    }

    /// A future of the result, of work that is under way, or that is started.
    ///
    /// - Parameter cancelToken: Detaches this one who asks; the future is then cancelled. The others go on.
    public func future(cancelToken: CancelToken = .none) -> Future<Value> {
        future(for: WithoutKey(), cancelToken: cancelToken)
    }

    /// Forgets the value that is kept: those who ask from now on start the work anew.
    public func forget() { forget(WithoutKey()) }
}
