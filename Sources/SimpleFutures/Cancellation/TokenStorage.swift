/// What is behind a token: the state, its lock, and what a cancellation does.
///
/// A `CancelToken` is a handle for it. The storage lives as long as the handle, and longer if handlers or children wait
/// for a parent or a timer to cancel it.
final class TokenStorage: _LockedObject, @unchecked Sendable {
    // Sendable, because the state is reached under the lock alone.

    @exclusivity(unchecked) private var state = CancelTokenState()

    init() { super.init() }

    /// Decides something under the lock.
    ///
    /// What it removes from the state it must return, to be released outside.
    @inline(__always)
    func withLock<Result>(_ body: (inout CancelTokenState) -> Result) -> Result { withLock { body(&state) } }

    // What is left are handlers and children that nobody can cancel any more: a link keeps its token.
    deinit {
        var handlers: [TokenHandler] = []
        var children: [TokenChild] = []
        while let handler = withLock({ $0.popHandler() }) { handlers.append(handler) }
        while let child = withLock({ $0.popChild() }) { children.append(child) }
        guard !handlers.isEmpty || !children.isEmpty else { return }
        // One of them may hold another token, whose handlers hold another: in the trampoline that is no recursion.
        Trampoline.submit { [handlers, children] in
            for handler in handlers { handler.forget() }
            for child in children { _ = child.take() }
        }
    }

    // MARK: Canceling

    /// True for the call that has canceled it.
    @discardableResult
    func cancel() -> Bool {
        guard let tree = flip() else { return false }
        Self.detachAll(tree)
        return true
    }

    /// Cancels this and all that descend from it, level by level, and runs nothing yet.
    ///
    /// Nil when it was canceled before.
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

    /// Detaches what was registered under tokens that were canceled, then runs their handlers.
    static func detachAll(_ tree: [TokenStorage]) {
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together {
            for storage in tree {
                unlink(storage.withLock { $0.takeSources() })
                while let link = storage.withLock({ $0.popLink() }) { link.detach() }
            }
            Trampoline.submit { runNextHandler(of: tree[...]) }
        }
    }

    /// One at a time, so that a handler can take away later ones, and what it causes comes before they run.
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

    // MARK: Being canceled by others

    /// Lets another token cancel this one; if that is canceled, so is this one.
    func follow(_ parent: TokenStorage) {
        let place = TokenChild(self, of: parent)
        guard withLock({ $0.add(.parent(place)) }) else { return }
        guard parent.withLock({ $0.add(place) }) else {
            _ = place.take()
            cancel()
            return
        }
        // Another parent may have canceled it before it had its place here.
        if withLock({ $0.isCancelled }) { Self.unlink([.parent(place)]) }
    }

    /// Lets a timer cancel this one, which the timer must keep.
    func follow(_ timer: Registration) {
        if !withLock({ $0.add(.timer(timer)) }) { timer.cancel() }
    }

    /// The handle is gone.
    func letGo() { Self.unlink(withLock { $0.letGo() }) }

    /// Takes a handler away, and releases what it holds; false when it has run or was taken away before.
    func remove(_ handler: TokenHandler) -> Bool {
        // Whoever takes the handler out owns what it holds.
        guard let sources = withLock({ $0.remove(handler) }) else { return false }
        // What the handler has captured may take away another handler as it is released.
        Trampoline.submit { handler.forget() }
        Self.unlink(sources)
        return true
    }

    /// Cuts the tokens off from what would have canceled them, and in turn the parents for which nothing waits then.
    private static func unlink(_ sources: [TokenSource]) {
        var sources = sources
        while let source = sources.popLast() { sources += source.unlink() }
    }
}
