/// A member of an intrusive list.
///
/// It is in at most one list.
@usableFromInline
package class ListNode: _LockedObject, @unchecked Sendable {
    // Sendable: both links belong to the node's list and are guarded by the lock of that list.
    @exclusivity(unchecked) fileprivate final var next: Unretained<ListNode>?
    @exclusivity(unchecked) fileprivate final var previous: Unretained<ListNode>?

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
    private var head: Unretained<ListNode>?

    init() {}

    var isEmpty: Bool { head == nil }

    mutating func append(_ node: Node) { append(owned: Unretained(holding: node)) }

    /// Appends a node and takes over the caller's reference to it.
    mutating func append(owned node: Unretained<Node>) {
        let node = node.object
        let new = Unretained<ListNode>(node)
        if let head {
            let first = head.object
            let last = first.previous
            node.next = head
            node.previous = last
            last?.object.next = new
            first.previous = new
        } else {
            node.next = new
            node.previous = new
            head = new
        }
    }

    /// Inserts a node at the front, and takes over the caller's reference.
    mutating func prepend(owned node: Unretained<Node>) {
        append(owned: node)
        head = Unretained(node.object)
    }

    /// Inserts a node after the last member for which `precedes` is true, or at the front.
    ///
    /// Takes over the caller's reference.
    mutating func insert(owned node: Unretained<Node>, behindLast precedes: (Node) -> Bool) {
        guard let head, let last = head.object.previous else { return append(owned: node) }
        var current = last
        while !precedes(member(current)) {
            guard current != head, let previous = current.object.previous else {
                return prepend(owned: node)
            }
            current = previous
        }
        insert(owned: node, after: member(current))
    }

    /// Inserts a node after a member, and takes over the caller's reference.
    mutating func insert(owned node: Unretained<Node>, after member: Node) {
        guard let following = member.next, following != head else { return append(owned: node) }
        let node = node.object
        let new = Unretained<ListNode>(node)
        node.next = following
        node.previous = Unretained(member)
        following.object.previous = new
        member.next = new
    }

    /// The node after a member; nil for the last one.
    func next(after member: Node) -> Node? {
        guard let following = member.next, following != head else { return nil }
        return self.member(following)
    }

    var first: Node? { head.map(member) }

    /// The only member of a list with one member, not retained.
    var only: Unretained<Node>? {
        guard let head, head.use({ $0.next }) == head else { return nil }
        return head.use { Unretained(unsafeDowncast($0, to: Node.self)) }
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
        Unretained(node).release()
        return true
    }

    /// Removes a member and passes the list's reference to the caller; nil if the node is in no list.
    mutating func take(_ node: Node) -> Unretained<Node>? { unlink(node) ? Unretained(node) : nil }

    func forEach(_ body: (Node) -> Void) {
        guard let head else { return }
        var current = head
        repeat {
            let node = member(current)
            body(node)
            guard let next = node.next else { return }
            current = next
        } while current != head
    }

    /// The list has only nodes of this class.
    private func member(_ node: Unretained<ListNode>) -> Node { unsafeDowncast(node.object, to: Node.self) }

    private mutating func unlink(_ node: Node) -> Bool {
        let this = Unretained<ListNode>(node)
        guard let next = node.next, let previous = node.previous else { return false }
        if next == this {
            head = nil
        } else {
            previous.object.next = next
            next.object.previous = previous
            if head == this { head = next }
        }
        node.next = nil
        node.previous = nil
        return true
    }
}
