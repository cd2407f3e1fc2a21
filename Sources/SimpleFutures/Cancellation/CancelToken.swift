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
    /// The token that is never cancelled: the default of all `cancelToken:` parameters.
    ///
    /// It costs nothing, and to cancel it has no effect.
    public static let none = CancelToken(isNone: true)

    let isNone: Bool
    private let state = Lock(CancelTokenState())

    /// Creates a token that is not cancelled.
    public convenience init() { self.init(isNone: false) }

    private init(isNone: Bool) { self.isNone = isNone }

    // What is left are handlers: a link keeps its token.
    deinit {
        while let handler = state.withLock({ $0.popHandler() }) { handler.forget() }
    }

    /// Whether ``cancel()`` has been called.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

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
    /// under the token has been detached. If the token is cancelled already, the handler runs before this call returns.
    /// A handler is released after it has run, or with the token.
    ///
    /// - Parameter handler: What to do. It should return quickly.
    /// - Returns: Takes the handler away again when the work it would stop has ended. May be ignored.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        if isNone { return Registration() }
        let entry = TokenHandler(handler)
        guard state.withLock({ $0.add(entry) }) else {
            entry.run()
            return Registration()
        }
        return Registration { [weak self] in self?.remove(entry) ?? false }
    }

    // MARK: For the library

    /// Adds a link; false when the token is cancelled.
    func add(_ link: ObserverLink) -> Bool { state.withLock { $0.add(link) } }

    /// Takes a link out: true for the one caller who thereby decides what becomes of it.
    func remove(_ link: ObserverLink) -> Bool { state.withLock { $0.remove(link) } }

    /// Takes a handler out: true when it will not run.
    ///
    /// What it holds is released with it.
    private func remove(_ handler: TokenHandler) -> Bool {
        guard state.withLock({ $0.remove(handler) }) else { return false }
        handler.forget()
        return true
    }

    /// Takes out the links of one future.
    func removeLinks(of future: AnyFuture) -> [ObserverLink] { state.withLock { $0.removeLinks(of: future) } }

    /// How many links there are.
    var linkCount: Int { state.withLock { $0.linkCount } }

    /// How many links and handlers the token holds.
    ///
    /// Package hook for tests.
    package var registrationCount: Int { state.withLock { $0.linkCount + $0.handlerCount } }

    /// True for the call that has cancelled the token.
    private func flip() -> Bool { !isNone && state.withLock { $0.cancel() } }

    private func detachAll() {
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together {
            while let link = state.withLock({ $0.popLink() }) { link.detach() }
            while let handler = state.withLock({ $0.popHandler() }) { handler.run() }
        }
    }
}
