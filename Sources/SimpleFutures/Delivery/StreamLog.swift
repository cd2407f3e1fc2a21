/// The elements of a stream: the replay buffer, and older elements that a subscriber has yet to receive.
///
/// Everything is O(1) for any capacity. Elements that are no longer needed are returned, to be destroyed outside the
/// lock.
struct StreamLog: ~Copyable {
    /// The size of the replay buffer.
    private var capacity: Int
    /// The position before the oldest element in memory.
    private var head: StreamPosition
    /// The position before the oldest element of the replay buffer.
    private var history: StreamPosition
    private(set) var end: StreamPosition
    /// How many subscribers have received all elements.
    private var caughtUp: UInt32 = 0

    init(capacity: Int) {
        self.capacity = capacity
        let start = StreamPosition(.make(capacity: 4))
        head = start
        history = start
        end = start
    }

    /// The number of elements in the replay buffer.
    var count: Int { Int(end.index - history.index) }

    // MARK: Emitting

    @inline(__always)
    mutating func append(_ signal: StreamSignal, _ write: (UnsafeMutableRawPointer) -> Void) {
        if end.room == 0 { grow() }
        let slot = end.slot()
        slot.initialize(to: StreamSlot(signal, readers: caughtUp))
        write(UnsafeMutableRawPointer(slot))
        caughtUp = 0
        end.advance(by: 1)
        if count > capacity {
            _ = history.slot()
            history.advance(by: 1)
        }
    }

    @inline(never)
    private func grow() {
        end.segment.unsafelyUnwrapped.info.pointee.next = .make(capacity: min(4 * Int(end.capacity), 256))
    }

    /// Empties the replay buffer for good, because no further subscriptions are possible.
    mutating func forgetHistory() {
        capacity = 0
        history = end
    }

    /// Removes and returns the oldest unneeded elements, up to the end of a segment.
    ///
    /// Call it again until it returns nil.
    ///
    /// - Parameter areTrivial: Whether values need no destruction. Such values are removed and not returned.
    @inline(__always)
    mutating func popUnneeded(areTrivial: Bool) -> UnneededElements? {
        if head.index == history.index { return nil }
        let slot = head.slot()
        if !isUnneeded(slot) { return nil }
        if areTrivial, slot.pointee.signal == .success, head.index + 1 == history.index {
            // The common case of a stream without a replay buffer.
            head.advance(by: 1)
            return nil
        }
        return popUnneededOfSome(areTrivial)
    }

    private mutating func popUnneededOfSome(_ areTrivial: Bool) -> UnneededElements? {
        while head.index < history.index {
            let first = head.slot()
            let most = min(head.room, Int(history.index - head.index))
            var count = 0
            if areTrivial {
                while count < most, isUnneeded(first + count), first[count].signal == .success { count += 1 }
                head.advance(by: count)
                if count == most { continue }
                return isUnneeded(first + count) ? popFirst(1) : nil
            }
            while count < most, isUnneeded(first + count) { count += 1 }
            return count > 0 ? popFirst(count) : nil
        }
        return nil
    }

    @inline(__always)
    private func isUnneeded(_ slot: UnsafeMutablePointer<StreamSlot>) -> Bool {
        StreamSlot.readers(of: slot).pointee == 0
    }

    /// Removes the oldest elements, when there are no subscribers left.
    mutating func popAny() -> UnneededElements? {
        guard head.index < end.index else { return nil }
        _ = head.slot()
        return popFirst(min(head.room, Int(end.index - head.index)))
    }

    private mutating func popFirst(_ count: Int) -> UnneededElements {
        defer { head.advance(by: count) }
        return UnneededElements(head, count: count)
    }

    // MARK: Reading

    /// Returns a new position before the replay buffer.
    mutating func join() -> StreamPosition {
        var position = history
        hold(&position)
        history = position
        return position
    }

    /// Releases a position.
    mutating func leave(_ position: inout StreamPosition) {
        if position.index == end.index {
            caughtUp -= 1
        } else {
            StreamSlot.readers(of: position.slot()).pointee -= 1
        }
    }

    private mutating func hold(_ position: inout StreamPosition) {
        if position.index == end.index {
            caughtUp += 1
        } else {
            StreamSlot.readers(of: position.slot()).pointee += 1
        }
    }

    /// Moves a position after the last element.
    @inline(__always)
    mutating func catchUp(_ position: inout StreamPosition) {
        StreamSlot.readers(of: position.slot()).pointee -= 1
        position.advance(by: 1)
        caughtUp += 1
    }

    mutating func advance(_ position: inout StreamPosition, by count: Int) {
        leave(&position)
        position.advance(by: count)
        hold(&position)
    }

    func isAtEnd(_ position: borrowing StreamPosition) -> Bool { position.index == end.index }

    /// Whether the next element is the last one.
    func isLast(_ position: borrowing StreamPosition) -> Bool { position.index + 1 == end.index }

    /// The next element.
    ///
    /// There must be one.
    @inline(__always)
    func slot(at position: inout StreamPosition) -> UnsafeMutablePointer<StreamSlot> {
        position.slot()
    }

    /// The number of contiguous elements from a position on.
    func run(from position: borrowing StreamPosition) -> Int {
        min(position.room, Int(end.index - position.index))
    }

    /// Calls a closure with the elements of the replay buffer, oldest first.
    func forEach(_ body: (StreamEvent) -> Void) {
        var position = history
        while position.index < end.index {
            body(StreamEvent(position.slot(), count: 1))
            position.advance(by: 1)
        }
    }
}

/// A position in the log: before an element, or after the last one.
struct StreamPosition {
    /// The number of elements emitted before this position.
    fileprivate(set) var index: UInt64 = 0
    /// Nil for the empty position.
    fileprivate var segment: StreamSegment?
    // Copies of the segment's properties: reading them from the segment would retain it each time.
    fileprivate var slots: UnsafeMutablePointer<StreamSlot>
    fileprivate var offset: UInt32 = 0
    fileprivate var capacity: UInt32

    /// Creates the empty position.
    init() {
        slots = UnsafeMutablePointer(bitPattern: MemoryLayout<StreamSlot>.alignment).unsafelyUnwrapped
        capacity = 0
    }

    /// Creates a position at the start of a segment.
    fileprivate init(_ segment: StreamSegment) {
        self.segment = segment
        slots = segment.slots
        capacity = UInt32(segment.info.pointee.capacity)
    }

    /// How many elements fit into the segment from here on.
    fileprivate var room: Int { Int(capacity - offset) }

    /// The address of the next element.
    ///
    /// There must be one.
    @inline(__always)
    fileprivate mutating func slot() -> UnsafeMutablePointer<StreamSlot> {
        if offset == capacity { goToNextSegment() }
        return slots + Int(offset)
    }

    @inline(never)
    private mutating func goToNextSegment() {
        let next = segment.unsafelyUnwrapped.info.pointee.next.unsafelyUnwrapped
        segment = next
        slots = next.slots
        capacity = UInt32(next.info.pointee.capacity)
        offset = 0
    }

    @inline(__always)
    fileprivate mutating func advance(by count: Int) {
        offset += UInt32(truncatingIfNeeded: count)
        index += UInt64(count)
    }
}

/// Contiguous elements that are no longer needed, still in place: a payload is never moved.
struct UnneededElements {
    // Holds the slots.
    private let segment: StreamSegment
    private let slots: UnsafeMutablePointer<StreamSlot>
    private let count: Int

    fileprivate init(_ position: borrowing StreamPosition, count: Int) {
        segment = position.segment.unsafelyUnwrapped
        slots = position.slots + Int(position.offset)
        self.count = count
    }

    var all: UnsafeMutableBufferPointer<StreamSlot> { UnsafeMutableBufferPointer(start: slots, count: count) }

    /// Destroys the elements.
    ///
    /// Must be called outside the lock.
    func destroy(_ destroyValue: ((UnsafeMutableRawPointer) -> Void)?) {
        for slot in slots..<slots + count {
            switch slot.pointee.signal {
            case .success: destroyValue?(UnsafeMutableRawPointer(slot))
            default: Payload.destroyError(UnsafeMutableRawPointer(slot))
            }
        }
        withExtendedLifetime(segment) {}
    }
}

@available(*, unavailable)
extension UnneededElements: Sendable {}
