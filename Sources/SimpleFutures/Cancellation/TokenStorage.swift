/// The storage behind a token: its state, its lock and the steps of a cancellation.
///
/// A `CancelToken` is a handle to it. The storage lives as long as the handle, or longer if handlers or children wait
/// for a parent or a timer to cancel it.
final class TokenStorage: _LockedObject, @unchecked Sendable {
    // Sendable: the state is accessed only under the lock.

    @exclusivity(unchecked) private var state = CancelTokenState()

    init() { super.init() }

    /// Runs a transition under the lock.
    ///
    /// The transition must return everything it removes from the state, so that it is released outside the lock.
    @inline(__always)
    func withLock<Result>(_ body: (inout CancelTokenState) -> Result) -> Result { withLock { body(&state) } }

    // Only handlers and children that can no longer be canceled are left at this point, because a link holds its token.
    deinit {
        var handlers: [TokenHandler] = []
        var children: [TokenChild] = []
        while let handler = withLock({ $0.popHandler() }) { handlers.append(handler) }
        while let child = withLock({ $0.popChild() }) { children.append(child) }
        guard !handlers.isEmpty || !children.isEmpty else { return }
        // One of them may hold another token, whose handlers hold another: the trampoline turns that recursion into a
        // loop.
        Trampoline.submit { [handlers, children] in
            for handler in handlers { handler.forget() }
            for child in children { _ = child.take() }
        }
    }

    // MARK: Canceling

    /// Cancels the token.
    ///
    /// Returns true for the call that canceled it.
    @discardableResult
    func cancel() -> Bool {
        guard let tree = flip() else { return false }
        Self.detachAll(tree)
        return true
    }

    /// Cancels the token, and runs its handlers before this returns, also inside a callback.
    func cancelWithHandlers() {
        guard let tree = flip() else { return }
        Self.unsubscribe(tree)
        for storage in tree { while let handler = storage.withLock({ $0.popHandler() }) { handler.run() } }
    }

    /// Marks this token and all its descendants as canceled, level by level, without running any code of callers.
    ///
    /// Returns nil if the token was already canceled.
    func flip() -> [TokenStorage]? {
        guard withLock({ $0.cancel() }) else { return nil }
        var tree = [self]
        var next = 0
        while next < tree.count {
            let parent = tree[next]
            while let place = parent.withLock({ $0.popChild() }) {
                if let child = place.take(), child.withLock({ $0.cancel() }) { tree.append(child) }
            }
            next += 1
        }
        return tree
    }

    /// Unsubscribes the registrations of canceled tokens, then runs the tokens' handlers.
    static func detachAll(_ tree: [TokenStorage]) {
        Trampoline.unsubscribe {
            unsubscribe(tree)
            Trampoline.submit { runNextHandler(of: tree[...]) }
        }
    }

    private static func unsubscribe(_ tree: [TokenStorage]) {
        var links = LinkedList<TokenLink>()
        for storage in tree {
            let sources = storage.withLock { state in
                state.moveLinks(to: &links)
                return state.takeSources()
            }
            unlink(sources)
        }
        TokenLink.detach { links.forEach($0) }
        while links.popFirst() != nil {}
    }

    /// Runs one handler at a time, so that a handler can still remove later ones, and its effects come before they run.
    private static func runNextHandler(of tree: ArraySlice<TokenStorage>) {
        var tree = tree
        while let storage = tree.first {
            guard let handler = storage.withLock({ $0.popHandler() }) else {
                tree.removeFirst()
                continue
            }
            handler.run()
            return Trampoline.submit { [tree] in runNextHandler(of: tree) }
        }
    }

    // MARK: Being canceled by parents and timers

    /// Lets another token cancel this one.
    ///
    /// If that token is already canceled, cancels this one now.
    func follow(_ parent: TokenStorage) {
        let place = TokenChild(self, of: parent)
        guard withLock({ $0.add(.parent(place)) }) else { return }
        guard parent.withLock({ $0.add(place) }) else {
            _ = place.take()
            cancel()
            return
        }
        // Another parent may have canceled this token before its entry was in this parent's list.
        if withLock({ $0.isCancelled }) { Self.unlink([.parent(place)]) }
    }

    /// Lets a timer cancel this token.
    ///
    /// The timer's closure must hold the storage.
    func follow(_ timer: Registration) {
        if !withLock({ $0.add(.timer(timer)) }) { timer.cancel() }
    }

    /// Called when the handle is released.
    func letGo() { Self.unlink(withLock { $0.letGo() }) }

    /// Removes a handler and releases its closure.
    ///
    /// Returns false if the handler has run or was already removed.
    func remove(_ handler: TokenHandler) -> Bool {
        // The thread that removes the handler owns its closure.
        guard let sources = withLock({ $0.remove(handler) }) else { return false }
        // Releasing the closure's captures may remove another handler, hence the trampoline.
        Trampoline.submit { handler.forget() }
        Self.unlink(sources)
        return true
    }

    /// Disconnects tokens from their sources, then does the same for each parent that nothing waits for any more.
    private static func unlink(_ sources: [TokenSource]) {
        var sources = sources
        while let source = sources.popLast() { sources += source.unlink() }
    }
}
