/// A member of an intrusive list.
///
/// It is in one list at most.
@usableFromInline
package class ListNode: _LockedObject, @unchecked Sendable {
    // Sendable: both links belong to the list the node is in and are guarded by the lock that guards that list.
    @exclusivity(unchecked) fileprivate final var next: Unmanaged<ListNode>?
    @exclusivity(unchecked) fileprivate final var previous: Unmanaged<ListNode>?

    init() { super.init() }

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

    mutating func append(_ node: Node) { append(owned: .passRetained(node)) }

    /// Appends a node together with a reference to it, which the list takes over.
    mutating func append(owned node: Unmanaged<Node>) {
        let node = node.takeUnretainedValue()
        let new = Unmanaged<ListNode>.passUnretained(node)
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

    /// Puts a node in front of all others, as `append(owned:)` does.
    mutating func prepend(owned node: Unmanaged<Node>) {
        append(owned: node)
        head = Unmanaged.passUnretained(node.takeUnretainedValue())
    }

    /// Puts a node behind the last member for which `precedes` is true, or in front of all, as `append(owned:)` does.
    mutating func insert(owned node: Unmanaged<Node>, behindLast precedes: (Node) -> Bool) {
        guard let head, let last = head.takeUnretainedValue().previous else { return append(owned: node) }
        var current = last
        while !precedes(unsafeDowncast(current.takeUnretainedValue(), to: Node.self)) {
            guard current.toOpaque() != head.toOpaque(), let previous = current.takeUnretainedValue().previous else {
                return prepend(owned: node)
            }
            current = previous
        }
        insert(owned: node, after: unsafeDowncast(current.takeUnretainedValue(), to: Node.self))
    }

    /// Puts a node behind a member, as `append(owned:)` does.
    mutating func insert(owned node: Unmanaged<Node>, after member: Node) {
        guard let following = member.next, following.toOpaque() != head?.toOpaque() else { return append(owned: node) }
        let node = node.takeUnretainedValue()
        let new = Unmanaged<ListNode>.passUnretained(node)
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

    /// The member of a list that has one, not retained.
    var only: Unmanaged<Node>? {
        guard let head, head._withUnsafeGuaranteedRef({ $0.next })?.toOpaque() == head.toOpaque() else { return nil }
        return .fromOpaque(head.toOpaque())
    }

    /// Moves the only member to another list, which is empty.
    mutating func moveOnly(to other: inout LinkedList) {
        other.head = head
        head = nil
    }

    mutating func popFirst() -> Node? {
        guard let node = first else { return nil }
        remove(node)
        return node
    }

    /// Takes a node out; false when it is in no list.
    ///
    /// A node in *another* list must not be passed.
    @discardableResult
    mutating func remove(_ node: Node) -> Bool {
        guard unlink(node) else { return false }
        Unmanaged.passUnretained(node).release()
        return true
    }

    /// Takes a member out and leaves the list's reference to it to the caller; nil when it is in no list.
    mutating func take(_ node: Node) -> Unmanaged<Node>? { unlink(node) ? .passUnretained(node) : nil }

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

    private mutating func unlink(_ node: Node) -> Bool {
        let this = Unmanaged<ListNode>.passUnretained(node)
        guard let next = node.next, let previous = node.previous else { return false }
        if next.toOpaque() == this.toOpaque() {
            head = nil
        } else {
            previous.takeUnretainedValue().next = next
            next.takeUnretainedValue().previous = previous
            if head?.toOpaque() == this.toOpaque() { head = next }
        }
        node.next = nil
        node.previous = nil
        return true
    }
}
