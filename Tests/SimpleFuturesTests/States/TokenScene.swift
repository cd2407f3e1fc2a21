@testable import SimpleFutures
@testable import TestSupport

/// Tokens and the players that cancel, drop and use them, in the same steps as `TokenStorage`.
///
/// The states are those of real tokens; the scene repeats the code around them: decide under the lock, then act.
final class TokenScene: Scene, @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    /// A token, and whether the scene holds it.
    final class Node {
        var storage: TokenStorage?
        weak var kept: TokenStorage?
        /// Whether its cancellation was requested.
        var isAskedFor = false
        var parents: [Node] = []

        init() {
            let storage = TokenStorage()
            self.storage = storage
            kept = storage
        }

        var isToBeCancelled: Bool { isAskedFor || parents.contains { $0.isToBeCancelled } }
    }

    /// A handler, and the number of its runs.
    final class Handler {
        let node: Node
        var entry: TokenHandler?
        weak var probe: Probe?
        var runs = 0
        var isAdded = false
        var isRemoved = false

        init(_ node: Node) { self.node = node }
    }

    /// A link, and the number of times that it was claimed, removed and detached.
    final class Link: TokenLink, @unchecked Sendable {
        // Sendable: a scene is used by one thread.
        var detached = 0
        var claimed = 0
        var removed = 0

        override func cancelTarget() { detached += 1 }
    }

    private(set) var nodes: [Node] = []
    private(set) var handlers: [Handler] = []
    private(set) var links: [Link] = []
    private var ran: [Int] = []
    /// The number of calls that cancelled each token.
    private var cancellers: [ObjectIdentifier: Int] = [:]
    // Steps that no player takes are left out, which makes fewer interleavings.
    private var removesHandlers = false
    private var drops = false

    func token(below parents: Node...) -> Node {
        let node = Node()
        nodes.append(node)
        before { player in for parent in parents { follows(player, node, parent) } }
        return node
    }

    // MARK: Cancelling

    func cancels(_ player: Player, _ node: Node) {
        player.add("cancel \(self.index(node))") { [self] in
            node.isAskedFor = true
            if let storage = node.storage { flip(player, storage) }
        }
    }

    private func flip(_ player: Player, _ storage: TokenStorage) {
        guard storage.withLock({ $0.cancel() }) else { return }
        cancellers[ObjectIdentifier(storage), default: 0] += 1
        descend(player, [storage], from: 0)
    }

    private func descend(_ player: Player, _ tree: [TokenStorage], from next: Int) {
        guard next < tree.count else { return detach(player, tree[...]) }
        player.next("take a child", isOwn: nodes.count == 1) { [self] in
            guard let place = tree[next].withLock({ $0.popChild() }) else {
                return descend(player, tree, from: next + 1)
            }
            player.next("cancel it") { [self] in
                let isNew = place.take().map { child in child.withLock { $0.cancel() } ? [child] : [] } ?? []
                for child in isNew { cancellers[ObjectIdentifier(child), default: 0] += 1 }
                descend(player, tree + isNew, from: next)
            }
        }
    }

    private func detach(_ player: Player, _ tree: ArraySlice<TokenStorage>) {
        for storage in tree {
            player.next("take the links and sources", isOwn: !drops && links.isEmpty) { [self] in
                var links = LinkedList<TokenLink>()
                let sources = storage.withLock { state in
                    state.moveLinks(to: &links)
                    return state.takeSources()
                }
                unlink(player, sources)
                links.forEach { $0.leave() }
                while let link = links.popFirst() { link.cancelTarget() }
            }
        }
        for storage in tree { runHandlers(player, storage) }
    }

    private func runHandlers(_ player: Player, _ storage: TokenStorage) {
        player.next("take a handler", isOwn: !removesHandlers) { [self] in
            guard let handler = storage.withLock({ $0.popHandler() }) else { return }
            player.next("run it", isOwn: true) { handler.run() }
            runHandlers(player, storage)
        }
    }

    private func unlink(_ player: Player, _ sources: [TokenSource]) {
        for source in sources.reversed() {
            player.next("unlink") { [self] in unlink(player, source.unlink()) }
        }
    }

    // MARK: Using

    func follows(_ player: Player, _ node: Node, _ parent: Node) {
        player.add("\(self.index(node)) follows \(self.index(parent))") { [self] in
            guard let storage = node.storage, let above = parent.storage else { return }
            node.parents.append(parent)
            let place = TokenChild(storage, of: above)
            guard storage.withLock({ $0.add(.parent(place)) }) else { return }
            player.next("take a place") { [self] in
                guard above.withLock({ $0.add(place) }) else {
                    _ = place.take()
                    return player.next("cancel it") { [self] in flip(player, storage) }
                }
                player.next("look again") { [self] in
                    if storage.withLock({ $0.isCancelled }) { unlink(player, [.parent(place)]) }
                }
            }
        }
    }

    func drops(_ player: Player, _ node: Node) {
        drops = true
        player.add("drop \(self.index(node))") { [self] in
            guard let storage = node.storage.take() else { return }
            unlink(player, storage.withLock { $0.letGo() })
        }
    }

    @discardableResult
    func handles(_ player: Player, _ node: Node) -> Handler {
        let handler = Handler(node)
        let number = handlers.count
        handlers.append(handler)
        player.add("handler \(number) comes") { [self] in
            guard let storage = node.storage else { return }
            let probe = Probe()
            handler.probe = probe
            nonisolated(unsafe) let handler = handler
            let entry = TokenHandler { [weak self] in
                probe.use()
                handler.runs += 1
                self?.ran.append(number)
            }
            handler.entry = entry
            handler.isAdded = storage.withLock { $0.add(entry) }
            if !handler.isAdded { player.next("run it at once", isOwn: true) { entry.run() } }
        }
        return handler
    }

    func removes(_ player: Player, _ handler: Handler) {
        removesHandlers = true
        player.add("remove a handler") { [self] in
            guard let entry = handler.entry, let storage = handler.node.kept,
                let sources = storage.withLock({ $0.remove(entry) })
            else { return }
            handler.isRemoved = true
            entry.forget()
            unlink(player, sources)
        }
    }

    func links(_ player: Player, _ node: Node) -> Link {
        let link = Link(of: self, under: CancelToken(storage: nil))
        links.append(link)
        player.add("add a link") {
            guard let storage = node.storage else { return }
            if !storage.withLock({ $0.add(link) }) { TokenLink.detach { $0(link) } }
        }
        return link
    }

    /// A delivery claims the link.
    func claims(_ player: Player, _ link: Link, _ node: Node) {
        player.add("claim") {
            guard let storage = node.storage else { return }
            let (isClaimed, isCancelled) = storage.withLock { ($0.claim(link), $0.isCancelled) }
            if isClaimed { link.claimed += isCancelled ? 10 : 1 }
        }
    }

    /// Detaches this link only.
    func removes(_ player: Player, _ link: Link, _ node: Node) {
        player.add("remove the link") {
            guard let storage = node.storage, storage.withLock({ $0.claim(link) }) else { return }
            link.removed += 1
        }
    }

    private func index(_ node: Node) -> Int { nodes.firstIndex { $0 === node } ?? -1 }

    // MARK: Complaints

    override var complaint: String? {
        for node in nodes {
            guard let storage = node.kept else { continue }
            let (isCancelled, count, found) = storage.withLock {
                ($0.isCancelled, $0.linkCount, $0.links(of: ObjectIdentifier(self)).count)
            }
            if cancellers[ObjectIdentifier(storage), default: 0] > 1 { return "\(index(node)) was cancelled twice" }
            if isCancelled, !node.isToBeCancelled { return "\(index(node)) was cancelled without a cause" }
            if count != found { return "\(index(node)) counts \(count) links, not \(found)" }
        }
        for (number, handler) in handlers.enumerated() {
            if handler.runs > 1 { return "handler \(number) has run twice" }
            if handler.runs > 0, handler.isRemoved { return "handler \(number) was removed, and has run" }
        }
        for link in links where link.detached + link.claimed + link.removed > 1 {
            return "a link was detached \(link.detached), claimed \(link.claimed), removed \(link.removed) times"
        }
        return nil
    }

    override var complaintAtEnd: String? {
        for node in nodes {
            if let storage = node.kept, let complaint = complaint(about: storage, of: node) {
                return "\(index(node)) \(complaint)"
            }
        }
        for (number, handler) in handlers.enumerated() {
            if handler.node.isToBeCancelled, handler.entry != nil, handler.runs == 0, !handler.isRemoved {
                return "handler \(number) has not run"
            }
            if handler.runs > 0 || handler.isRemoved, handler.probe != nil { return "handler \(number) is kept" }
            handler.entry = nil
        }
        for node in nodes where node.storage == nil && node.kept != nil && !isNeeded(node) {
            return "\(index(node)) is kept"
        }
        let order = nodes.map { node in ran.filter { handlers[$0].node === node && handlers[$0].isAdded } }
        return order.allSatisfy { $0 == $0.sorted() } ? nil : "handlers have run in the order \(ran)"
    }

    private func complaint(about storage: TokenStorage, of node: Node) -> String? {
        let isCancelled = storage.withLock { $0.isCancelled }
        if node.isToBeCancelled, !isCancelled { return "was not cancelled" }
        let count = storage.withLock { $0.registrationCount }
        if isCancelled, count > 0 { return "is cancelled, and keeps \(count)" }
        if isCancelled, !storage.withLock({ $0.takeSources() }).isEmpty { return "keeps what would have cancelled it" }
        return nil
    }

    /// Whether a dropped token has a handler or a child that waits for its cancellation.
    private func isNeeded(_ node: Node) -> Bool {
        handlers.contains { $0.node === node && $0.runs == 0 && !$0.isRemoved }
            || nodes.contains { $0.parents.contains { $0 === node } && $0.kept != nil }
    }
}
