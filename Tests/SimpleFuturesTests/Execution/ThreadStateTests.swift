import CSimpleFutures
import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("Thread state")
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
