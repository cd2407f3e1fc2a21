import CSimpleFutures
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

@Suite("Thread state", .watchdog)
struct ThreadStateTests {
    /// Like Apple's systems, which release a thread's variables before they call the destructors of its keys.
    @Test func `a thread whose variable was released early keeps its state`() async {
        let (first, second, number) = await onThread {
            ThreadState.current.pointee.depth = 7
            let first = UInt(bitPattern: ThreadState.current)
            sf_set_thread_state(nil)
            let second = UInt(bitPattern: ThreadState.current)
            defer { ThreadState.current.pointee.depth = 0 }
            return (first, second, ThreadState.current.pointee.depth)
        }
        #expect(first == second)
        #expect(number == 7)
    }
}
