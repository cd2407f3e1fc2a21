import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CompletionId", .watchdog)
struct CompletionIdTests {
    @Test func `each is unique, and equal to its copies`() {
        let ids = (0..<100).map { _ in CompletionId() }
        #expect(Set(ids).count == 100)
        let copy = ids[0]
        #expect(copy == ids[0])
    }
}
