/// A first-in, first-out queue on one growing buffer.
struct RingBuffer<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var start = 0
    private(set) var count = 0

    init() {}

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(start + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[start].take()
        start = (start + 1) & (slots.count - 1)
        count -= 1
        if count == 0, slots.count > Self.retained {
            // A burst of a million must not stay in the thread's memory for ever.
            slots = []
            start = 0
        }
        return element
    }

    private static var retained: Int { 1024 }

    private mutating func grow() {
        var larger = ContiguousArray<Element?>(repeating: nil, count: Swift.max(8, slots.count * 2))
        for offset in 0..<count { larger[offset] = slots[(start + offset) & (slots.count - 1)].take() }
        slots = larger
        start = 0
    }
}
