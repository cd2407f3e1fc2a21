/// The elements of a stream: the newest, up to its capacity, and those before them that somebody has yet to get.
///
/// Everything is O(1) for any capacity. An element that nobody needs any more is handed out, to be destroyed outside of
/// the lock.
struct StreamLog: ~Copyable {
    /// How many elements are kept for those who come later.
    private var capacity: Int
    /// In front of the oldest element that is still there.
    private var head: StreamPosition
    /// In front of the oldest element of the history.
    private var history: StreamPosition
    private(set) var end: StreamPosition
    /// How many subscribers have no element before them.
    private var caughtUp: UInt32 = 0

    init(capacity: Int) {
        self.capacity = capacity
        let start = StreamPosition(.make(capacity: 4))
        head = start
        history = start
        end = start
    }

    /// How many elements the history has.
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

    /// The history is given up: the last one who could ask for it is gone.
    mutating func forgetHistory() {
        capacity = 0
        history = end
    }

    /// Takes out the oldest elements that nobody needs; nil if there are none.
    ///
    /// Those that lie side by side. To be called again until it returns nil.
    ///
    /// - Parameter areTrivial: Whether values need no destruction: they are taken out and not returned.
    @inline(__always)
    mutating func popUnneeded(areTrivial: Bool) -> UnneededElements? {
        if head.index == history.index { return nil }
        let slot = head.slot()
        if !isUnneeded(slot) { return nil }
        if areTrivial, slot.pointee.signal == .success, head.index + 1 == history.index {
            // What there is where nothing is kept.
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

    /// Takes out the oldest elements, when nobody can ask for any.
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

    /// A place in front of the history.
    mutating func join() -> StreamPosition {
        var position = history
        hold(&position)
        history = position
        return position
    }

    /// Gives a place up.
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

    /// Moves a place behind the last element.
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

    /// Whether the element that follows is the last one.
    func isLast(_ position: borrowing StreamPosition) -> Bool { position.index + 1 == end.index }

    /// The element that follows, of which there must be one.
    @inline(__always)
    func slot(at position: inout StreamPosition) -> UnsafeMutablePointer<StreamSlot> {
        position.slot()
    }

    /// How many elements lie side by side from there on.
    func run(from position: borrowing StreamPosition) -> Int {
        min(position.room, Int(end.index - position.index))
    }

    /// Calls a closure with the elements of the history, from the oldest.
    func forEach(_ body: (StreamEvent) -> Void) {
        var position = history
        while position.index < end.index {
            body(StreamEvent(position.slot(), count: 1))
            position.advance(by: 1)
        }
    }
}

/// A place in the log: in front of an element, or behind the last one.
struct StreamPosition {
    /// Counted from the first element that was ever emitted.
    fileprivate(set) var index: UInt64 = 0
    /// Nil for one who has no place.
    fileprivate var segment: StreamSegment?
    // What the segment says of itself: asked there, it would have to be retained each time.
    fileprivate var slots: UnsafeMutablePointer<StreamSlot>
    fileprivate var offset: UInt32 = 0
    fileprivate var capacity: UInt32

    /// No place.
    init() {
        slots = UnsafeMutablePointer(bitPattern: MemoryLayout<StreamSlot>.alignment).unsafelyUnwrapped
        capacity = 0
    }

    /// In front of a segment.
    fileprivate init(_ segment: StreamSegment) {
        self.segment = segment
        slots = segment.slots
        capacity = UInt32(segment.info.pointee.capacity)
    }

    /// How many elements fit into the segment from here on.
    fileprivate var room: Int { Int(capacity - offset) }

    /// Where the element is that follows, of which there must be one.
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

/// Elements side by side that nobody needs any more, in their place: a payload is not moved.
struct UnneededElements {
    // What holds the slots.
    private let segment: StreamSegment
    private let slots: UnsafeMutablePointer<StreamSlot>
    private let count: Int

    fileprivate init(_ position: borrowing StreamPosition, count: Int) {
        segment = position.segment.unsafelyUnwrapped
        slots = position.slots + Int(position.offset)
        self.count = count
    }

    var all: UnsafeMutableBufferPointer<StreamSlot> { UnsafeMutableBufferPointer(start: slots, count: count) }

    /// Destroys them, outside of the lock.
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
