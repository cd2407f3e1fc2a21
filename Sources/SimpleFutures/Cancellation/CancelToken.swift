/// Cancels callbacks, futures, streams and work together.
///
///     let token = CancelToken()
///     profile
///         .map(cancelToken: token) { $0.name }
///         .onSuccess(cancelToken: token, isolated: { label.text = $0 })
///     token.cancel()    // neither closure runs any more
///
/// ``cancel()`` unsubscribes every callback registered with the token, and cancels futures and streams derived with it. A
/// cancellation is not a failure: `onFailure` doesn't run, and the source goes on. To stop a task or a request, add a handler:
/// see ``onCancel(_:)``. ``AnyFuture/cancel(_:)`` cancels registrations on a single future.
///
/// A token can be canceled once. Callbacks registered later never run. A token forgets registrations that have ended, so it
/// can live as long as the program.
///
/// ``child()`` creates a token that is canceled alone or with its parent, ``init(anyOf:)-(CancelToken...)`` one that is
/// canceled with the first of several tokens, ``init(after:context:)`` one with a deadline.
public final class CancelToken: Sendable {
    // Made of constants alone, so that the compiler puts it into static memory: retaining and releasing it, which every
    // call with the default argument does, then costs no atomic operation.

    /// The token that is never canceled: the default of all `cancelToken:` parameters.
    ///
    /// It costs nothing, and canceling it has no effect.
    public static let none = CancelToken(storage: nil)

    /// Nil for `none`.
    let storage: TokenStorage?

    /// Creates a token that is not canceled.
    public convenience init() { self.init(storage: TokenStorage()) }

    init(storage: TokenStorage?) { self.storage = storage }

    deinit { storage?.letGo() }

    var isNone: Bool { storage == nil }

    /// Whether the token is canceled: by ``cancel()``, by its parent, or by its deadline.
    public var isCancelled: Bool { storage?.withLock { $0.isCancelled } ?? false }

    /// Cancels all registrations with the token, then runs the handlers of ``onCancel(_:)`` in order.
    ///
    /// Child tokens are canceled with it, before the first handler runs. (If another thread is canceling a child at the same
    /// time, that thread cancels its registrations.) Handlers of child tokens run after its own.
    ///
    /// Handlers run on the calling thread before `cancel` returns; in a callback of the library, when that callback returns.
    /// Only the first call has an effect. Call it from any thread.
    public func cancel() { storage?.cancel() }

    /// Marks the token as canceled at once, then passes the rest of the cancellation (unsubscribing and handlers) to
    /// `run`.
    ///
    /// Package hook for the concurrency runtime's cancellation handlers, in which no user code may run.
    package func cancel(detaching run: (@escaping @Sendable () -> Void) -> Void) {
        if let tree = storage?.flip() { run { TokenStorage.detachAll(tree) } }
    }

    /// Runs a handler when the token is canceled.
    ///
    ///     let token = CancelToken()
    ///     let task = session.dataTask(with: url) { data, response, error in … }
    ///     task.resume()
    ///     token.onCancel { task.cancel() }
    ///
    /// Handlers run once, in the order of registration, on the thread that cancels, after all callbacks are
    /// unsubscribed. If the token is canceled already, the handler runs before this returns. Inside a callback of the
    /// library, it runs when that callback returns. It may run before earlier handlers that still wait, and the
    /// registration can't remove it. If the cancellation of a task cancels the token, handlers run on a global queue. A
    /// handler is released after it has run, or when the token can no longer be canceled, because the token itself, its
    /// parents and its deadline are gone.
    ///
    /// - Parameter handler: Stops the work. It should return quickly, and must not wait for a later handler.
    /// - Returns: A registration that removes the handler. Use it when the work has ended, or ignore it.
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
    /// Adds a link.
    ///
    /// Returns false when the token is already canceled.
    func add(_ link: TokenLink) -> Bool { storage?.withLock { $0.add(link) } ?? false }

    /// Removes a link, to run, release or detach its registration.
    ///
    /// Returns true for only one caller, and false once the token is canceled.
    func claim(_ link: TokenLink) -> Bool { storage?.withLock { $0.claim(link) } ?? false }

    /// Detaches those links that are still in the list.
    ///
    /// Returns whether there are any.
    func detach(_ found: [TokenLink]) -> Bool {
        let links = found.filter { claim($0) }
        TokenLink.detach { links.forEach($0) }
        return !links.isEmpty
    }

    /// Whether a link is still in the list: neither canceled nor removed.
    func isLive(_ link: TokenLink) -> Bool { storage?.withLock { $0.isLive(link) } ?? false }

    /// Runs `read` under the lock if the link is still in the list; returns nil if another thread has removed it.
    func whileLive<Result>(_ link: TokenLink, _ read: () -> Result?) -> Result? {
        storage?.withLock { $0.isLive(link) ? read() : nil }
    }

    /// The links of one future or stream.
    ///
    /// The search compares identities only, because releasing the last reference to an owner under the lock could
    /// deadlock. The result is checked afterwards: the identity could belong to a released future at the same address.
    func links(of owner: AnyObject) -> [TokenLink] {
        let found = storage?.withLock { $0.links(of: ObjectIdentifier(owner)) } ?? []
        return found.filter { $0.belongs(to: owner) }
    }

    /// How many links there are.
    var linkCount: Int { storage?.withLock { $0.linkCount } ?? 0 }

    /// How many links, handlers and children the token holds.
    ///
    /// A package hook for tests.
    package var registrationCount: Int { storage?.withLock { $0.registrationCount } ?? 0 }
}

// MARK: Identity

/// Tokens are compared by identity, so they can be told apart and kept in sets and dictionaries.
extension CancelToken: Hashable {
    /// Whether both are the same token.
    public static func == (left: CancelToken, right: CancelToken) -> Bool { left === right }

    /// Hashes the token's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
