/// The state machine of a token: open, then canceled.
///
/// A canceled token takes nothing more in, and is emptied one entry at a time: each is owned by whoever takes it out,
/// be it the cancellation or the delivery, and by nobody else.
struct CancelTokenState {
    private(set) var isCancelled = false
    /// Whether there still is a `CancelToken`, to register under and to be canceled by hand.
    private var isHeld = true
    private(set) var linkCount = 0
    private var handlerCount = 0
    private var childCount = 0
    private var links = LinkedList<TokenLink>()
    private var handlers = LinkedList<TokenHandler>()
    private var children = LinkedList<TokenChild>()
    private var sources: [TokenSource] = []

    /// Everything that waits for the token to be canceled.
    var registrationCount: Int { linkCount + handlerCount + childCount }

    // MARK: Being canceled

    /// False when it was canceled before.
    mutating func cancel() -> Bool {
        guard !isCancelled else { return false }
        isCancelled = true
        return true
    }

    // MARK: What cancels it

    /// Adds something that will cancel the token; false when it is canceled.
    mutating func add(_ source: TokenSource) -> Bool {
        guard !isCancelled else { return false }
        sources.append(source)
        return true
    }

    /// What need not cancel the token any more, as it is canceled.
    mutating func takeSources() -> [TokenSource] {
        defer { sources = [] }
        return sources
    }

    /// The token is gone.
    ///
    /// Returns what need not cancel it any more.
    mutating func letGo() -> [TokenSource] {
        isHeld = false
        return retire()
    }

    /// Nothing waits for the cancellation any more, and nothing ever will.
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

    /// For a delivery: false once the token is canceled, even if it has not got round to the link.
    mutating func claim(_ link: TokenLink) -> Bool { !isCancelled && remove(link) }

    /// Whether a link is neither canceled nor taken out.
    func isLive(_ link: TokenLink) -> Bool { !isCancelled && link.isLinked }

    mutating func remove(_ link: TokenLink) -> Bool {
        guard links.remove(link) else { return false }
        linkCount -= 1
        return true
    }

    func links(of owner: ObjectIdentifier) -> [TokenLink] {
        var found: [TokenLink] = []
        links.forEach { if $0.ownerID == owner { found.append($0) } }
        return found
    }

    mutating func popLink() -> TokenLink? {
        guard let link = links.popFirst() else { return nil }
        linkCount -= 1
        return link
    }

    // MARK: Handlers and children

    mutating func add(_ handler: TokenHandler) -> Bool {
        guard !isCancelled else { return false }
        handlers.append(handler)
        handlerCount += 1
        return true
    }

    mutating func add(_ child: TokenChild) -> Bool {
        guard !isCancelled else { return false }
        children.append(child)
        childCount += 1
        return true
    }

    /// Nil when the handler was not there any more; else what need not cancel the token any more.
    mutating func remove(_ handler: TokenHandler) -> [TokenSource]? {
        guard handlers.remove(handler) else { return nil }
        handlerCount -= 1
        return retire()
    }

    /// Nil when the child was not there any more; else what need not cancel the token any more.
    mutating func remove(_ child: TokenChild) -> [TokenSource]? {
        guard children.remove(child) else { return nil }
        childCount -= 1
        return retire()
    }

    mutating func popHandler() -> TokenHandler? {
        guard let handler = handlers.popFirst() else { return nil }
        handlerCount -= 1
        return handler
    }

    mutating func popChild() -> TokenChild? {
        guard let child = children.popFirst() else { return nil }
        childCount -= 1
        return child
    }
}
