/// What keeps a pending future that is derived without a closure of the user's: those who wait for it, and nothing else.
///
/// Its source and its timer have weak links to such a future. While somebody waits for it, this keeps it alive; when
/// nobody does, whoever holds it. When it is released, or has a result, it leaves its source (promise 8).
final class Lifeline: Sendable {
    private struct State: Sendable {
        /// The future, as long as somebody waits for it.
        var kept: AnyFuture?
        /// What is to be done when the future has a result or is gone; nil when that was.
        var end: (@Sendable () -> Void)?
        var isClosed = false
    }

    private let state = Lock(State())
    /// How many observers the future had before, which are part of what works on it and do not keep it.
    private let ownObservers: Int
    // A variable for compilers before 6.3, which know no weak constant; nobody sets it.
    private nonisolated(unsafe) weak var weakFuture: AnyFuture?

    /// Becomes what works on the result of a future that nobody waits for yet.
    init(of future: AnyFuture) {
        weakFuture = future
        ownObservers = future.observerCount
        future.setWorker(Worker(self))
    }

    /// Where the future comes from, if there is a task behind that; reached under the future's lock.
    nonisolated(unsafe) weak var upstream: AnyFuture?

    /// The future, unless it is gone.
    var future: AnyFuture? { weakFuture }

    /// Keeps the future or lets it go, as there are observers or not.
    ///
    /// Each thread that has added or removed one calls this afterwards; the last call sees them all.
    func update(for future: AnyFuture) {
        let former = state.withLock { state -> AnyFuture? in
            defer { state.kept = !state.isClosed && future.observerCount > ownObservers ? future : nil }
            return state.kept
        }
        withExtendedLifetime(former) {}
    }

    /// Sets what ends with the future; does it at once if that has ended.
    func atEnd(_ end: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.end = end }
            return state.isClosed
        }
        if isClosed { end() }
    }

    fileprivate func close() {
        let (kept, end) = state.withLock { state in
            defer { (state.kept, state.end, state.isClosed) = (nil, nil, true) }
            return (state.kept, state.end)
        }
        end?()
        withExtendedLifetime(kept) {}
    }
}

/// An observer that does not keep the future that it settles.
final class LifelineObserver: Observer, @unchecked Sendable {
    // Sendable as its superclass is, and constant.

    private let lifeline: Lifeline

    /// - Parameters:
    ///   - kind: What the body is called with; other ends are passed on.
    ///   - body: Settles the target.
    init(_ lifeline: Lifeline, _ kind: ObserverKind = .forwarding, _ body: @escaping ObserverBody) {
        self.lifeline = lifeline
        super.init(
            Callback(route: .immediate, kind: .plumbing, target: nil) { source, _ in
                source.deliver(kind, to: lifeline.future, body, source.phase)
            })
    }

    override var weakTarget: AnyFuture? { lifeline.future }
}

extension AnyFuture {
    /// Links a future that is derived from this one without a closure of the user's: it leaves when nobody waits for it
    /// and nobody holds it.
    ///
    /// Package hook.
    package final func observe(
        _ kind: ObserverKind, under token: CancelToken = .none, leavingWith derived: AnyFuture,
        _ body: @escaping ObserverBody
    ) {
        guard phase == .pending else { return observe(kind, under: token, target: derived, body) }
        let lifeline = Lifeline(of: derived)
        let observer = LifelineObserver(lifeline, kind, body)
        observe(observer, under: token)
        lifeline.atEnd { [weak self] in self?.withdraw(observer) }
    }
}

extension Worker {
    init(_ lifeline: Lifeline) {
        self.init(UInt(bitPattern: Unmanaged.passRetained(lifeline).toOpaque()), release: closeLifeline)
    }

    /// Whether it is a lifeline, and not a task.
    var isLifeline: Bool {
        unsafeBitCast(release, to: UInt.self) == unsafeBitCast(closeLifeline, to: UInt.self)
    }

    var lifeline: Lifeline? {
        guard isLifeline, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
        return Unmanaged<Lifeline>.fromOpaque(pointer).takeUnretainedValue()
    }
}

private let closeLifeline: @convention(c) (UInt) -> Void = { word in
    guard let pointer = UnsafeRawPointer(bitPattern: word) else { return }
    Unmanaged<Lifeline>.fromOpaque(pointer).takeRetainedValue().close()
}
