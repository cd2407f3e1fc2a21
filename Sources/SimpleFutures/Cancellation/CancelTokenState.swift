/// The state machine of a token: open, then cancelled.
///
/// A cancelled token takes nothing more in, and is emptied one entry at a time: each is owned by whoever takes it out,
/// be it the cancellation or the delivery, and by nobody else.
struct CancelTokenState {
    private(set) var isCancelled = false
    private(set) var linkCount = 0
    private(set) var handlerCount = 0
    private var links = LinkedList<ObserverLink>()
    private var handlers = LinkedList<TokenHandler>()

    /// False when it was cancelled before.
    mutating func cancel() -> Bool {
        guard !isCancelled else { return false }
        isCancelled = true
        return true
    }

    mutating func add(_ link: ObserverLink) -> Bool {
        guard !isCancelled else { return false }
        links.append(link)
        linkCount += 1
        return true
    }

    mutating func add(_ handler: TokenHandler) -> Bool {
        guard !isCancelled else { return false }
        handlers.append(handler)
        handlerCount += 1
        return true
    }

    /// For a delivery: false once the token is cancelled, even if it has not got round to the link.
    mutating func claim(_ link: ObserverLink) -> Bool { !isCancelled && remove(link) }

    mutating func remove(_ link: ObserverLink) -> Bool {
        guard links.remove(link) else { return false }
        linkCount -= 1
        return true
    }

    mutating func remove(_ handler: TokenHandler) -> Bool {
        guard handlers.remove(handler) else { return false }
        handlerCount -= 1
        return true
    }

    func links(of future: ObjectIdentifier) -> [ObserverLink] {
        var found: [ObserverLink] = []
        links.forEach { if $0.ownerID == future { found.append($0) } }
        return found
    }

    mutating func popLink() -> ObserverLink? {
        guard let link = links.popFirst() else { return nil }
        linkCount -= 1
        return link
    }

    mutating func popHandler() -> TokenHandler? {
        guard let handler = handlers.popFirst() else { return nil }
        handlerCount -= 1
        return handler
    }
}
