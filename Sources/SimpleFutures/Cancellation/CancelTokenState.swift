/// The state machine of a token: open, then canceled.
///
/// A canceled token accepts no new entries and is emptied one entry at a time. The thread that removes an entry owns
/// it, whether it is canceling or dispatching.
struct CancelTokenState {
    private(set) var isCancelled = false
    /// Whether a `CancelToken` still refers to this state, so that callers can register with it or cancel it.
    private var isHeld = true
    private(set) var linkCount = 0
    private var links = LinkedList<TokenLink>()
    private var handlers = LinkedList<TokenHandler>()
    private var children = LinkedList<TokenChild>()
    private var sources: [TokenSource] = []

    /// The number of entries that wait for the token to be canceled.
    var registrationCount: Int { linkCount + handlers.count + children.count }

    // MARK: Being canceled

    /// Marks the token as canceled.
    ///
    /// Returns false if it already was.
    mutating func cancel() -> Bool {
        guard !isCancelled else { return false }
        isCancelled = true
        return true
    }

    // MARK: Sources

    /// Adds a source that will cancel the token.
    ///
    /// Returns false when the token is already canceled.
    mutating func add(_ source: TokenSource) -> Bool {
        guard !isCancelled else { return false }
        sources.append(source)
        return true
    }

    /// Removes and returns the sources: a canceled token no longer needs them.
    mutating func takeSources() -> [TokenSource] {
        defer { sources = [] }
        return sources
    }

    /// Records that the `CancelToken` was released.
    ///
    /// Returns the sources that the token no longer needs.
    mutating func letGo() -> [TokenSource] {
        isHeld = false
        return retire()
    }

    /// Returns all sources if nothing waits for the cancellation any more and nothing can be added.
    private mutating func retire() -> [TokenSource] {
        !isHeld && handlers.isEmpty && children.isEmpty ? takeSources() : []
    }

    // MARK: Links

    mutating func add(_ link: TokenLink) -> Bool {
        guard !isCancelled else { return false }
        links.append(link)
        linkCount += 1
        return true
    }

    /// Whether a link is still in the list: neither canceled nor removed.
    func isLive(_ link: TokenLink) -> Bool { !isCancelled && link.isLinked }

    /// Removes a link, to run, release or detach its registration.
    ///
    /// Returns true for only one caller, and false once the token is canceled, even if the cancellation has not reached
    /// the link yet: then the thread that cancels owns it.
    mutating func claim(_ link: TokenLink) -> Bool {
        guard !isCancelled, links.remove(link) else { return false }
        linkCount -= 1
        return true
    }

    func links(of owner: ObjectIdentifier) -> [TokenLink] {
        var found: [TokenLink] = []
        links.forEach { if $0.ownerID == owner { found.append($0) } }
        return found
    }

    /// Moves the links of a canceled token behind those of a list.
    mutating func moveLinks(to all: inout LinkedList<TokenLink>) {
        all.takeAll(of: &links)
        linkCount = 0
    }

    // MARK: Handlers and children

    mutating func add(_ handler: TokenHandler) -> Bool {
        guard !isCancelled else { return false }
        handlers.append(handler)
        return true
    }

    mutating func add(_ child: TokenChild) -> Bool {
        guard !isCancelled else { return false }
        children.append(child)
        return true
    }

    /// Returns nil if the handler was already removed, otherwise the sources that the token no longer needs.
    mutating func remove(_ handler: TokenHandler) -> [TokenSource]? {
        handlers.remove(handler) ? retire() : nil
    }

    /// Returns nil if the child was already removed, otherwise the sources that the token no longer needs.
    mutating func remove(_ child: TokenChild) -> [TokenSource]? {
        children.remove(child) ? retire() : nil
    }

    mutating func popHandler() -> TokenHandler? { handlers.popFirst() }

    mutating func popChild() -> TokenChild? { children.popFirst() }
}
