import SimpleFutures
import Testing

@testable import SimpleFuturesInterop
@testable import TestSupport

@Suite("The order of completions")
struct CompletionOrderTests {
    @Test func `taking the last future before it has ended resumes the waiters`() throws {
        let order = CompletionOrder(count: 1)
        guard case .wait(let bell) = order.next(orElse: false) else { return #expect(Bool(false), "it waits") }
        guard case .index(0) = order.next(orElse: true) else { return #expect(Bool(false), "it takes what is open") }
        #expect(bell.completed)
        guard case .end = order.next(orElse: false) else { return #expect(Bool(false), "that is the end") }
    }
}
