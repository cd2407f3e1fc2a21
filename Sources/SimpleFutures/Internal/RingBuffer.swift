/// A first-in, first-out queue on one growing buffer.
@usableFromInline @frozen
package struct RingBuffer<Element: ~Copyable>: ~Copyable {
    @usableFromInline var slots: UnsafeMutablePointer<Element>
    @usableFromInline var mask: Int
    @usableFromInline var start = 0
    @usableFromInline package var count = 0

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package init() {
        slots = .allocate(capacity: 8)
        mask = 7
    }

    deinit {
        if count == 0 { slots.deallocate() } else { Trampoline.destroy(RingRemains(slots, mask, start, count)) }
    }

    @inlinable @inline(__always)
    package mutating func append(_ element: consuming Element) {
        if count > mask { resize(to: (mask + 1) * 2) }
        (slots + ((start + count) & mask)).initialize(to: element)
        count += 1
    }

    /// Puts an element in front of all others.
    package mutating func prepend(_ element: consuming Element) {
        if count > mask { resize(to: (mask + 1) * 2) }
        start = (start - 1) & mask
        (slots + start).initialize(to: element)
        count += 1
    }

    @inlinable @inline(__always)
    package mutating func popFirst() -> Element? {
        if count == 0 { return nil }
        let element = (slots + start).move()
        start = (start + 1) & mask
        count -= 1
        if count == 0, mask >= 1024 {
            // Frees the memory of a large burst.
            resize(to: 8)
        }
        return element
    }

    /// Calls a closure with the elements, in order.
    @inlinable
    package func forEach(_ body: (borrowing Element) -> Void) {
        for offset in 0..<count { body(slots[(start + offset) & mask]) }
    }

    @inlinable @inline(never)
    mutating func resize(to capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        for offset in 0..<count { (larger + offset).moveInitialize(from: slots + ((start + offset) & mask), count: 1) }
        slots.deallocate()
        slots = larger
        mask = capacity - 1
        start = 0
    }
}

/// The elements of a released queue, each of which may hold the last reference to another queue.
private struct RingRemains<Element: ~Copyable>: DeferredDestruction {
    private let slots: UnsafeMutablePointer<Element>
    private let mask: Int
    private let start: Int
    private let count: Int

    init(_ slots: UnsafeMutablePointer<Element>, _ mask: Int, _ start: Int, _ count: Int) {
        (self.slots, self.mask, self.start, self.count) = (slots, mask, start, count)
    }

    func destroy() {
        for offset in 0..<count { (slots + ((start + offset) & mask)).deinitialize(count: 1) }
        slots.deallocate()
    }
}

/// Used by one owner, or under a lock.
@available(*, unavailable)
extension RingBuffer: Sendable where Element: ~Copyable {}
