import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Future.value", .watchdog)
struct ValueTests {
    @Test func `a completed future answers`() async throws {
        #expect(try await Future(value: 3).value == 3)
    }
}
