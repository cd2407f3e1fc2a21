import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("Ring buffer", .watchdog)
struct RingBufferTests {
    @Test(arguments: 0..<9)
    func `prepended and appended elements come out in order, when it wraps around and when it grows`(_ start: Int) {
        var buffer = RingBuffer<Int>()
        for _ in 0..<start {
            buffer.append(0)
            _ = buffer.popFirst()
        }
        for number in 1...20 {
            buffer.append(number)
            buffer.prepend(-number)
        }
        var all: [Int] = []
        while let number = buffer.popFirst() { all.append(number) }
        #expect(all == Array(-20 ... -1) + Array(1...20))
    }
}
