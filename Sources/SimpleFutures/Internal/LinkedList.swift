/// A member of an intrusive list.
///
/// It is in one list at most.
@usableFromInline
package class ListNode: @unchecked Sendable {
    // Sendable: both links belong to the list the node is in and are guarded by the lock that guards that list.
    @exclusivity(unchecked) fileprivate final var next: Unmanaged<ListNode>?
    @exclusivity(unchecked) fileprivate final var previous: Unmanaged<ListNode>?

    init() {}

    /// Whether the node is in a list.
    ///
    /// To be asked under the lock of that list.
    final var isLinked: Bool { next != nil }
}

/// A first-in, first-out list with removal from the middle, all O(1), which allocates nothing.
///
/// The nodes form a ring, so one word names both ends. The list retains its members by hand: links that were strong
/// references would release a long list recursively.
struct LinkedList<Node: ListNode> {
    private var head: Unmanaged<ListNode>?

    init() {}

    var isEmpty: Bool { head == nil }

    mutating func append(_ node: Node) {
        let new = Unmanaged<ListNode>.passRetained(node)
        if let head {
            let first = head.takeUnretainedValue()
            let last = first.previous
            node.next = head
            node.previous = last
            last?.takeUnretainedValue().next = new
            first.previous = new
        } else {
            node.next = new
            node.previous = new
            head = new
        }
    }

    /// Puts a node in front of all others.
    mutating func prepend(_ node: Node) {
        append(node)
        head = Unmanaged.passUnretained(node)
    }

    /// Puts a node behind the last member for which `precedes` is true, or in front of all.
    mutating func insert(_ node: Node, behindLast precedes: (Node) -> Bool) {
        guard let head, let last = head.takeUnretainedValue().previous else { return append(node) }
        var current = last
        while !precedes(unsafeDowncast(current.takeUnretainedValue(), to: Node.self)) {
            guard current.toOpaque() != head.toOpaque(), let previous = current.takeUnretainedValue().previous else {
                return prepend(node)
            }
            current = previous
        }
        insert(node, after: unsafeDowncast(current.takeUnretainedValue(), to: Node.self))
    }

    /// Puts a node behind a member.
    mutating func insert(_ node: Node, after member: Node) {
        guard let following = member.next, following.toOpaque() != head?.toOpaque() else { return append(node) }
        let new = Unmanaged<ListNode>.passRetained(node)
        node.next = following
        node.previous = .passUnretained(member)
        following.takeUnretainedValue().previous = new
        member.next = new
    }

    /// The node behind a member; nil for the last one.
    func next(after member: Node) -> Node? {
        guard let following = member.next, following.toOpaque() != head?.toOpaque() else { return nil }
        return unsafeDowncast(following.takeUnretainedValue(), to: Node.self)
    }

    var first: Node? {
        head.map { unsafeDowncast($0.takeUnretainedValue(), to: Node.self) }
    }

    mutating func popFirst() -> Node? {
        guard let node = first else { return nil }
        unlink(node)
        return node
    }

    /// Takes a node out; false when it is in no list.
    ///
    /// A node in *another* list must not be passed.
    @discardableResult
    mutating func remove(_ node: Node) -> Bool {
        guard node.next != nil else { return false }
        unlink(node)
        return true
    }

    func forEach(_ body: (Node) -> Void) {
        guard let head else { return }
        var current = head
        repeat {
            let node = current.takeUnretainedValue()
            body(unsafeDowncast(node, to: Node.self))
            guard let next = node.next else { return }
            current = next
        } while current.toOpaque() != head.toOpaque()
    }

    private mutating func unlink(_ node: Node) {
        let this = Unmanaged<ListNode>.passUnretained(node)
        guard let next = node.next, let previous = node.previous else { return }
        if next.toOpaque() == this.toOpaque() {
            head = nil
        } else {
            previous.takeUnretainedValue().next = next
            next.takeUnretainedValue().previous = previous
            if head?.toOpaque() == this.toOpaque() { head = next }
        }
        node.next = nil
        node.previous = nil
        this.release()
    }
}
