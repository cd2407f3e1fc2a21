/// A member of an intrusive list.
///
/// It is in at most one list.
@usableFromInline
package class ListNode: _LockedObject, @unchecked Sendable {
    // Sendable: both links belong to the node's list and are guarded by the lock of that list.
    @exclusivity(unchecked) fileprivate final var next: Unmanaged<ListNode>?
    @exclusivity(unchecked) fileprivate final var previous: Unmanaged<ListNode>?

    init() { super.init() }

    /// Whether the node is in a list.
    ///
    /// Must be read under the lock of that list.
    final var isLinked: Bool { next != nil }
}

/// A first-in, first-out list with O(1) removal from the middle, without allocations.
///
/// The nodes form a ring, so one word refers to both ends. The list retains its members manually: releasing a long list
/// with strong links would recurse.
struct LinkedList<Node: ListNode> {
    private var head: Unmanaged<ListNode>?

    init() {}

    var isEmpty: Bool { head == nil }

    mutating func append(_ node: Node) { append(owned: .passRetained(node)) }

    /// Appends a node and takes over the caller's reference to it.
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

    /// Inserts a node at the front, and takes over the caller's reference.
    mutating func prepend(owned node: Unmanaged<Node>) {
        append(owned: node)
        head = Unmanaged.passUnretained(node.takeUnretainedValue())
    }

    /// Inserts a node after the last member for which `precedes` is true, or at the front.
    ///
    /// Takes over the caller's reference.
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

    /// Inserts a node after a member, and takes over the caller's reference.
    mutating func insert(owned node: Unmanaged<Node>, after member: Node) {
        guard let following = member.next, following.toOpaque() != head?.toOpaque() else { return append(owned: node) }
        let node = node.takeUnretainedValue()
        let new = Unmanaged<ListNode>.passUnretained(node)
        node.next = following
        node.previous = .passUnretained(member)
        following.takeUnretainedValue().previous = new
        member.next = new
    }

    /// The node after a member; nil for the last one.
    func next(after member: Node) -> Node? {
        guard let following = member.next, following.toOpaque() != head?.toOpaque() else { return nil }
        return unsafeDowncast(following.takeUnretainedValue(), to: Node.self)
    }

    var first: Node? {
        head.map { unsafeDowncast($0.takeUnretainedValue(), to: Node.self) }
    }

    /// The only member of a list with one member, not retained.
    var only: Unmanaged<Node>? {
        guard let head, head._withUnsafeGuaranteedRef({ $0.next })?.toOpaque() == head.toOpaque() else { return nil }
        return .fromOpaque(head.toOpaque())
    }

    /// Moves the only member to another list, which must be empty.
    mutating func moveOnly(to other: inout LinkedList) {
        other.head = head
        head = nil
    }

    mutating func popFirst() -> Node? {
        guard let node = first else { return nil }
        remove(node)
        return node
    }

    /// Removes a node.
    ///
    /// Returns false if it is in no list. The node must not be in *another* list.
    @discardableResult
    mutating func remove(_ node: Node) -> Bool {
        guard unlink(node) else { return false }
        Unmanaged.passUnretained(node).release()
        return true
    }

    /// Removes a member and passes the list's reference to the caller; nil if the node is in no list.
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
