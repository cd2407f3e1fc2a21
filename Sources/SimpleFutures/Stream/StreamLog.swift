/// One element in a stream's log.
struct StreamSlot {
    // The payload comes first: its address is that of the slot.
    var payload = Payload()
    let signal: StreamSignal
    /// How many subscribers have this element before them as their next one.
    ///
    /// Reached through `StreamSlot.readers(of:)`: it changes under the lock while others read payload and signal without.
    private var readers: UInt32

    init(_ signal: StreamSignal, readers: UInt32) {
        self.signal = signal
        self.readers = readers
    }

    static func readers(of slot: UnsafeMutablePointer<StreamSlot>) -> UnsafeMutablePointer<UInt32> {
        let offset = MemoryLayout<StreamSlot>.offset(of: \.readers).unsafelyUnwrapped
        return (UnsafeMutableRawPointer(slot) + offset).assumingMemoryBound(to: UInt32.self)
    }
}

/// An element that nobody needs any more, in its place: a payload is not moved.
struct UnneededElement {
    fileprivate let segment: StreamSegment
    let slot: UnsafeMutablePointer<StreamSlot>

    var isValue: Bool { slot.pointee.signal == .success }

    /// Destroys it, outside of the lock.
    func destroy(_ destroyValue: ((UnsafeMutableRawPointer) -> Void)?) {
        switch slot.pointee.signal {
        case .success: destroyValue?(UnsafeMutableRawPointer(slot))
        default: Payload.destroyError(UnsafeMutableRawPointer(slot))
        }
    }
}

@available(*, unavailable)
extension UnneededElement: Sendable {}

/// A stretch of the log.
///
/// Stretches are linked forwards, and whoever has a place in one holds it; so one that all have left is freed.
final class StreamSegment: ManagedBuffer<StreamSegment.Header, StreamSlot> {
    struct Header {
        let capacity: Int
        var next: StreamSegment?
    }

    static func make(capacity: Int) -> StreamSegment {
        let buffer = create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }
        return unsafeDowncast(buffer, to: StreamSegment.self)
    }

    // One after the other: the release of a long log must not recurse.
    deinit {
        var next = header.next.take()
        while isKnownUniquelyReferenced(&next) { next = next?.header.next.take() }
    }

    var slots: UnsafeMutablePointer<StreamSlot> { withUnsafeMutablePointerToElements { $0 } }
    /// By address, since a formal access of the property would be looked after at run time.
    var info: UnsafeMutablePointer<Header> { withUnsafeMutablePointerToHeader { $0 } }
}

/// A place in the log: in front of an element, or behind the last one.
struct StreamPosition {
    /// Counted from the first element that was ever emitted.
    fileprivate(set) var index: UInt64 = 0
    /// Nil for one who has no place.
    fileprivate var segment: StreamSegment?
    fileprivate var offset = 0

    /// Where the element is that follows, of which there must be one.
    fileprivate mutating func slot() -> UnsafeMutablePointer<StreamSlot> {
        var current = segment.unsafelyUnwrapped
        if offset == current.info.pointee.capacity {
            current = current.info.pointee.next.unsafelyUnwrapped
            segment = current
            offset = 0
        }
        return current.slots + offset
    }

    fileprivate mutating func advance(by count: Int) {
        offset += count
        index += UInt64(count)
    }
}

/// The elements of a stream: the newest, up to its capacity, and those before them that somebody has yet to get.
///
/// Everything is O(1) for any capacity. An element that nobody needs any more is handed out, to be destroyed outside of the
/// lock.
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
        let start = StreamPosition(segment: .make(capacity: 4))
        head = start
        history = start
        end = start
    }

    /// How many elements the history has.
    var count: Int { Int(end.index - history.index) }

    // MARK: Emitting

    mutating func append(_ signal: StreamSignal, _ write: (UnsafeMutableRawPointer) -> Void) {
        let last = end.segment.unsafelyUnwrapped
        if end.offset == last.info.pointee.capacity {
            last.info.pointee.next = .make(capacity: min(4 * last.info.pointee.capacity, 256))
        }
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

    /// The history is given up: the last one who could ask for it is gone.
    mutating func forgetHistory() {
        capacity = 0
        history = end
    }

    /// Takes out the oldest element if nobody needs it.
    mutating func popUnneeded() -> UnneededElement? {
        guard head.index < history.index else { return nil }
        let slot = head.slot()
        return StreamSlot.readers(of: slot).pointee == 0 ? popFirst() : nil
    }

    /// Takes out the oldest element, when nobody can ask for any.
    mutating func popAny() -> UnneededElement? { head.index < end.index ? popFirst() : nil }

    private mutating func popFirst() -> UnneededElement {
        let slot = head.slot()
        defer { head.advance(by: 1) }
        return UnneededElement(segment: head.segment.unsafelyUnwrapped, slot: slot)
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

    mutating func advance(_ position: inout StreamPosition, by count: Int) {
        leave(&position)
        position.advance(by: count)
        hold(&position)
    }

    func isAtEnd(_ position: StreamPosition) -> Bool { position.index == end.index }

    /// The element that follows, of which there must be one.
    func slot(at position: inout StreamPosition) -> UnsafeMutablePointer<StreamSlot> {
        position.slot()
    }

    /// How many elements lie side by side from there on.
    func run(from position: StreamPosition) -> Int {
        let capacity = position.segment?.info.pointee.capacity ?? 0
        return min(capacity - position.offset, Int(end.index - position.index))
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
