/// One element in a stream's log.
struct StreamSlot {
    // The payload comes first: its address is that of the slot.
    var payload = Payload()
    let signal: StreamSignal
    /// How many subscribers have this element as their next one.
    ///
    /// Accessed through `StreamSlot.readers(of:)`: it changes under the lock while other threads read payload and
    /// signal without the lock.
    private var readers: UInt32

    init(_ signal: StreamSignal, readers: UInt32) {
        self.signal = signal
        self.readers = readers
    }

    static func readers(of slot: UnsafeMutablePointer<StreamSlot>) -> UnsafeMutablePointer<UInt32> {
        slot.pointer(to: \.readers).unsafelyUnwrapped
    }
}

/// A segment of the log.
///
/// Segments are linked forwards, and a position holds its segment. So segments that all positions have left are freed.
final class StreamSegment: ManagedBuffer<StreamSegment.Header, StreamSlot> {
    struct Header {
        let capacity: Int
        var next: StreamSegment?
    }

    static func make(capacity: Int) -> StreamSegment {
        let buffer = create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }
        // `create` makes an object of the class that it is called on, but its type does not say so.
        return unsafeDowncast(buffer, to: StreamSegment.self)
    }

    // In a loop: releasing a long log must not recurse.
    deinit {
        var next = header.next.take()
        while isKnownUniquelyReferenced(&next) { next = next?.header.next.take() }
    }

    var slots: UnsafeMutablePointer<StreamSlot> { withUnsafeMutablePointerToElements { $0 } }
    /// By address, because a formal access of the property would be checked at run time.
    var info: UnsafeMutablePointer<Header> { withUnsafeMutablePointerToHeader { $0 } }
}
