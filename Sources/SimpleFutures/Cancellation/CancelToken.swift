/// A handle under which callbacks and combinators are registered, to be detached together.
///
///     let token = CancelToken()
///     profile.map(cancelToken: token) { $0.name }.onSuccess(cancelToken: token) { label.text = $0 }
///     token.cancel()                       // neither closure runs any more
///
/// ``cancel()`` detaches everything that is registered under the token, on whatever future.
/// ``AnyFuture/cancel(_:)`` detaches what is registered on one future. To detach is not to fail: callbacks stay silent,
/// derived futures are cancelled, the source goes on. A task or a request is stopped by a handler: see ``onCancel(_:)``.
///
/// A token is used for one cancellation: what is registered after it never runs. Registrations vanish from the token
/// when what they belong to has ended, so a token may live as long as the program.
public final class CancelToken: Sendable {
    // Made of constants alone, so that the compiler puts it into static memory: retaining and releasing it, which every
    // call with the default argument does, then costs no atomic operation.

    /// The token that is never cancelled: the default of all `cancelToken:` parameters.
    ///
    /// It costs nothing, and to cancel it has no effect.
    public static let none = CancelToken(state: nil)

    /// Nil for `none`.
    private let state: State?

    /// Creates a token that is not cancelled.
    public convenience init() { self.init(state: State()) }

    private init(state: State?) { self.state = state }

    private final class State: Sendable {
        private let lock = Lock(CancelTokenState())

        func withLock<Result>(_ body: (inout CancelTokenState) -> Result) -> Result { lock.withLock(body) }

        // What is left are handlers: a link keeps its token.
        deinit {
            var handlers: [TokenHandler] = []
            while let handler = lock.withLock({ $0.popHandler() }) { handlers.append(handler) }
            guard !handlers.isEmpty else { return }
            // One of them may hold another token, whose handlers hold another: in the trampoline that is no recursion.
            Trampoline.submit { [handlers] in for handler in handlers { handler.forget() } }
        }
    }

    var isNone: Bool { state == nil }

    /// Whether ``cancel()`` has been called.
    public var isCancelled: Bool { state?.withLock { $0.isCancelled } ?? false }

    /// Detaches everything that is registered under the token, then runs the handlers of ``onCancel(_:)`` in order.
    ///
    /// The handlers run on the calling thread before `cancel` returns, or, when it is called inside a callback of the
    /// library, when that callback returns. Only the first call has an effect. It may be called from any thread.
    public func cancel() {
        if flip() { detachAll() }
    }

    /// Cancels at once, but detaches and runs handlers where `run` says.
    ///
    /// Package hook, for use inside the runtime's cancellation handlers, where no user code may run.
    package func cancel(detaching run: (@escaping @Sendable () -> Void) -> Void) {
        if flip() { run { self.detachAll() } }
    }

    /// Runs a handler when the token is cancelled.
    ///
    ///     let token = CancelToken()
    ///     let task = session.dataTask(with: url) { … }
    ///     token.onCancel { task.cancel() }
    ///
    /// Handlers run once, in the order of their registration, on the thread that cancels, after everything registered
    /// under the token has been detached. If the token is cancelled already, the handler runs before this call returns, or,
    /// inside a callback of the library, when that callback returns.
    /// A handler is released after it has run, or with the token.
    ///
    /// - Parameter handler: What to do. It should return quickly.
    /// - Returns: Takes the handler away again when the work it would stop has ended. May be ignored.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        guard let state else { return Registration() }
        let entry = TokenHandler(handler)
        guard state.withLock({ $0.add(entry) }) else {
            Trampoline.submit { entry.run() }
            return Registration()
        }
        return Registration { [weak state] in
            // Whoever takes the handler out owns what it holds.
            guard let state, state.withLock({ $0.remove(entry) }) else { return false }
            entry.forget()
            return true
        }
    }

    // MARK: For the library

    /// Adds a link; false when the token is cancelled.
    func add(_ link: ObserverLink) -> Bool { state?.withLock { $0.add(link) } ?? false }

    /// Takes a link out to deliver; false if that is cancelled.
    func claim(_ link: ObserverLink) -> Bool { state?.withLock { $0.claim(link) } ?? false }

    /// Takes a link out: true for the one caller who thereby decides what becomes of it.
    func remove(_ link: ObserverLink) -> Bool { state?.withLock { $0.remove(link) } ?? false }

    /// The links of one future.
    ///
    /// They are found by its identity, as its reference must not be the last one under the lock, and checked afterwards:
    /// the identity may be that of a future that was released before.
    func links(of future: AnyFuture) -> [ObserverLink] {
        let found = state?.withLock { $0.links(of: ObjectIdentifier(future)) } ?? []
        return found.filter { $0.belongs(to: future) }
    }

    /// How many links there are.
    var linkCount: Int { state?.withLock { $0.linkCount } ?? 0 }

    /// How many links and handlers the token holds.
    ///
    /// Package hook for tests.
    package var registrationCount: Int {
        state?.withLock { $0.linkCount + $0.handlerCount } ?? 0
    }

    /// True for the call that has cancelled the token.
    private func flip() -> Bool { state?.withLock { $0.cancel() } ?? false }

    private func detachAll() {
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together {
            while let link = state?.withLock({ $0.popLink() }) { link.detach() }
            Trampoline.submit { self.runNextHandler() }
        }
    }

    /// One at a time, so that a handler can take away later ones, and what it causes comes before they run.
    private func runNextHandler() {
        guard let handler = state?.withLock({ $0.popHandler() }) else { return }
        handler.run()
        Trampoline.submit { self.runNextHandler() }
    }
}
