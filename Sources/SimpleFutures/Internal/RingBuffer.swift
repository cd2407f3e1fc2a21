/// A first-in, first-out queue on one growing buffer.
struct RingBuffer<Element: ~Copyable>: ~Copyable {
    private var slots: UnsafeMutablePointer<Element>
    private var mask: Int
    private var start = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    init() {
        slots = .allocate(capacity: 8)
        mask = 7
    }

    deinit {
        for offset in 0..<count { (slots + ((start + offset) & mask)).deinitialize(count: 1) }
        slots.deallocate()
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count > mask { resize(to: (mask + 1) * 2) }
        (slots + ((start + count) & mask)).initialize(to: element)
        count += 1
    }

    @inline(__always)
    mutating func popFirst() -> Element? {
        if count == 0 { return nil }
        let element = (slots + start).move()
        start = (start + 1) & mask
        count -= 1
        if count == 0, mask >= Self.retained {
            // A burst of a million must not stay in the thread's memory for ever.
            resize(to: 8)
        }
        return element
    }

    private static var retained: Int { 1024 }

    @inline(never)
    private mutating func resize(to capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        for offset in 0..<count { (larger + offset).moveInitialize(from: slots + ((start + offset) & mask), count: 1) }
        slots.deallocate()
        slots = larger
        mask = capacity - 1
        start = 0
    }
}
