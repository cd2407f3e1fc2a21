/// A handle under which callbacks and combinators are registered, to be detached together.
///
///     let token = CancelToken()
///     profile
///         .map(cancelToken: token) { $0.name }
///         .onSuccess(cancelToken: token) { label.text = $0 }
///     token.cancel()    // neither closure runs any more
///
/// ``cancel()`` detaches everything that is registered under the token, on whatever future. ``AnyFuture/cancel(_:)``
/// detaches what is registered on one future. To detach is not to fail: callbacks stay silent, derived futures are
/// cancelled, the source goes on. A task or a request is stopped by a handler: see ``onCancel(_:)``.
///
/// A token is used for one cancellation: what is registered after it never runs. Registrations vanish from the token
/// when what they belong to has ended, so a token may live as long as the program.
///
/// Tokens form trees: ``child()`` makes one that can be cancelled alone or with its parent,
/// ``init(anyOf:)-(CancelToken...)`` one that is cancelled by the first of several, ``init(after:context:)`` one with a
/// deadline.
public final class CancelToken: Sendable {
    // Made of constants alone, so that the compiler puts it into static memory: retaining and releasing it, which every
    // call with the default argument does, then costs no atomic operation.

    /// The token that is never cancelled: the default of all `cancelToken:` parameters.
    ///
    /// It costs nothing, and to cancel it has no effect.
    public static let none = CancelToken(storage: nil)

    /// Nil for `none`.
    let storage: TokenStorage?

    /// Creates a token that is not cancelled.
    public convenience init() { self.init(storage: TokenStorage()) }

    init(storage: TokenStorage?) { self.storage = storage }

    deinit { storage?.letGo() }

    var isNone: Bool { storage == nil }

    /// Whether the token has been cancelled: by ``cancel()``, by a token that it was made of, or by its deadline.
    public var isCancelled: Bool { storage?.withLock { $0.isCancelled } ?? false }

    /// Detaches everything that is registered under the token, then runs the handlers of ``onCancel(_:)`` in order.
    ///
    /// Its descendants are cancelled with it: before the first handler runs, all of them are cancelled, and everything
    /// registered under them is detached. The exception is a descendant that another thread is cancelling at that
    /// moment: that thread detaches what is under it. The handlers of descendants run after its own.
    ///
    /// The handlers run on the calling thread before `cancel` returns, or, when it is called inside a callback of the
    /// library, when that callback returns. Only the first call has an effect. It may be called from any thread.
    public func cancel() { storage?.cancel() }

    /// Cancels at once, but detaches and runs handlers where `run` says.
    ///
    /// Package hook, for use inside the runtime's cancellation handlers, where no user code may run.
    package func cancel(detaching run: (@escaping @Sendable () -> Void) -> Void) {
        if let tree = storage?.flip() { run { TokenStorage.detachAll(tree) } }
    }

    /// Runs a handler when the token is cancelled.
    ///
    ///     let token = CancelToken()
    ///     let task = session.dataTask(with: url) { … }
    ///     token.onCancel { task.cancel() }
    ///
    /// Handlers run once, in the order of their registration, on the thread that cancels, after everything registered
    /// under the token has been detached. If the token is cancelled already, the handler runs before this call returns,
    /// or, inside a callback of the library, when that callback returns. A handler is released after it has run, or
    /// when nobody is left who could cancel the token: neither the token itself, nor one that it was made of, nor a
    /// deadline.
    ///
    /// - Parameter handler: What to do. It should return quickly, and must not wait for what a later handler does.
    /// - Returns: Takes the handler away again when the work it would stop has ended. May be ignored.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        guard let storage else { return Registration() }
        let entry = TokenHandler(handler)
        guard storage.withLock({ $0.add(entry) }) else {
            Trampoline.submit { entry.run() }
            return Registration()
        }
        return Registration { [weak storage] in storage?.remove(entry) ?? false }
    }
}

// MARK: For the library

extension CancelToken {
    /// Cancels, and says whether this was the call that did.
    func cancelOnce() -> Bool { storage?.cancel() ?? false }

    /// Adds a link; false when the token is cancelled.
    func add(_ link: TokenLink) -> Bool { storage?.withLock { $0.add(link) } ?? false }

    /// Takes a link out to deliver; false if that is cancelled.
    func claim(_ link: TokenLink) -> Bool { storage?.withLock { $0.claim(link) } ?? false }

    /// Takes a link out: true for the one caller who thereby decides what becomes of it.
    func remove(_ link: TokenLink) -> Bool { storage?.withLock { $0.remove(link) } ?? false }

    /// Whether a link is neither cancelled nor taken out.
    func isLive(_ link: TokenLink) -> Bool { storage?.withLock { $0.isLive(link) } ?? false }

    /// Reads what belongs to the one who takes the link out, under the lock; nil if somebody has.
    func whileLive<Result>(_ link: TokenLink, _ read: () -> Result?) -> Result? {
        storage?.withLock { $0.isLive(link) ? read() : nil }
    }

    /// The links of one future or stream.
    ///
    /// They are found by its identity, as its reference must not be the last one under the lock, and checked
    /// afterwards: the identity may be that of a future that was released before.
    func links(of owner: AnyObject) -> [TokenLink] {
        let found = storage?.withLock { $0.links(of: ObjectIdentifier(owner)) } ?? []
        return found.filter { $0.belongs(to: owner) }
    }

    /// How many links there are.
    var linkCount: Int { storage?.withLock { $0.linkCount } ?? 0 }

    /// How many links, handlers and children the token holds.
    ///
    /// Package hook for tests.
    package var registrationCount: Int { storage?.withLock { $0.registrationCount } ?? 0 }
}

// MARK: Identity

/// Two tokens are equal if they are the same, so that those of several screens or requests can be told apart and kept
/// in sets and dictionaries.
extension CancelToken: Hashable {
    /// Whether both are the same token.
    public static func == (left: CancelToken, right: CancelToken) -> Bool { left === right }

    /// Hashes the token's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
