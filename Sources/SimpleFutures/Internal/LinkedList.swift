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

// The links of a node whose list holds it, without a count.
extension Unretained<ListNode> {
    fileprivate var next: Unretained<ListNode>? {
        get { use { $0.next } }
        nonmutating set { use { $0.next = newValue } }
    }
    fileprivate var previous: Unretained<ListNode>? {
        get { use { $0.previous } }
        nonmutating set { use { $0.previous = newValue } }
    }
}

/// A first-in, first-out list with O(1) removal from the middle, without allocations.
///
/// The nodes form a ring, so one word refers to both ends. The list retains its members manually: releasing a long list
/// with strong links would recurse.
struct LinkedList<Node: ListNode> {
    private var head: Unretained<ListNode>?

    init() {}

    var isEmpty: Bool { head == nil }

    /// The number of members, which takes time in proportion to it.
    var count: Int {
        var count = 0
        forEach { _ in count += 1 }
        return count
    }

    mutating func append(_ node: Node) { append(owned: Unretained(holding: node)) }

    /// Appends a node and takes over the caller's reference to it.
    mutating func append(owned node: Unretained<Node>) {
        let new = node.cast(to: ListNode.self)
        if let head, let last = head.previous {
            Self.insert(new, between: last, head)
        } else {
            new.next = new
            new.previous = new
            head = new
        }
    }

    /// Inserts a node at the front, and takes over the caller's reference.
    mutating func prepend(owned node: Unretained<Node>) {
        append(owned: node)
        head = node.cast(to: ListNode.self)
    }

    /// Inserts a node after the last member for which `precedes` is true, or at the front.
    ///
    /// Takes over the caller's reference.
    mutating func insert(owned node: Unretained<Node>, behindLast precedes: (Unretained<Node>) -> Bool) {
        guard let head, var current = head.previous else { return append(owned: node) }
        while !precedes(current.cast(to: Node.self)) {
            guard current != head, let previous = current.previous else { return prepend(owned: node) }
            current = previous
        }
        insert(owned: node, after: current.cast(to: Node.self))
    }

    /// Inserts a node after a member, and takes over the caller's reference.
    mutating func insert(owned node: Unretained<Node>, after member: Unretained<Node>) {
        let member = member.cast(to: ListNode.self)
        guard let following = member.next else { return append(owned: node) }
        Self.insert(node.cast(to: ListNode.self), between: member, following)
    }

    private static func insert(
        _ new: Unretained<ListNode>, between previous: Unretained<ListNode>, _ next: Unretained<ListNode>
    ) {
        new.previous = previous
        new.next = next
        previous.next = new
        next.previous = new
    }

    /// The node after a member; nil for the last one.
    func next(after member: Unretained<Node>) -> Unretained<Node>? {
        guard let following = member.cast(to: ListNode.self).next, following != head else { return nil }
        return following.cast(to: Node.self)
    }

    /// The first member.
    var first: Node? { head.map { $0.cast(to: Node.self).object } }

    /// The first member, not retained.
    var front: Unretained<Node>? { head.map { $0.cast(to: Node.self) } }

    /// The only member of a list with one member, not retained.
    var only: Unretained<Node>? {
        guard let head, head.next == head else { return nil }
        return head.cast(to: Node.self)
    }

    /// Moves the only member to another list, which must be empty.
    mutating func moveOnly(to other: inout LinkedList) {
        other.head = head
        head = nil
    }

    /// Moves all members of another list behind the own ones.
    mutating func takeAll(of other: inout LinkedList) {
        defer { other.head = nil }
        guard let head, let last = head.previous else { return head = other.head }
        guard let first = other.head, let end = first.previous else { return }
        last.next = first
        first.previous = last
        end.next = head
        head.previous = end
    }

    mutating func popFirst() -> Node? {
        guard let head else { return nil }
        unlink(head)
        return head.cast(to: Node.self).take()
    }

    /// Removes a node.
    ///
    /// Returns false if it is in no list. The node must not be in *another* list.
    @discardableResult
    mutating func remove(_ node: Node) -> Bool {
        guard unlink(Unretained(node)) else { return false }
        Unretained(node).release()
        return true
    }

    /// Removes a member and passes the list's reference to the caller; nil if the node is in no list.
    mutating func take(_ node: Node) -> Unretained<Node>? { unlink(Unretained(node)) ? Unretained(node) : nil }

    func forEach(_ body: (Node) -> Void) {
        guard let head else { return }
        var current = head
        repeat {
            // Held by this function: `body` may remove it.
            let node = current.cast(to: Node.self).object
            body(node)
            guard let next = node.next else { return }
            current = next
        } while current != head
    }

    @discardableResult
    private mutating func unlink(_ node: Unretained<ListNode>) -> Bool {
        guard let next = node.next, let previous = node.previous else { return false }
        if next == node {
            head = nil
        } else {
            previous.next = next
            next.previous = previous
            if head == node { head = next }
        }
        node.next = nil
        node.previous = nil
        return true
    }
}
