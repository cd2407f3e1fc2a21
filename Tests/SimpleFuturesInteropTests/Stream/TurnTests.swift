import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Calls of next() that wait for each other", .watchdog)
struct TurnTests {
    @Test func `one that is cancelled while it waits for its turn gets none, and takes nothing`() async {
        let stage = Stage<FutureStreamValues<Int>.Iterator>()
        let first = Task { await stage.next() }
        await until { stage.isAwaited }
        let second = Task { await stage.next() }
        second.cancel()
        #expect(await second.value == "cancelled")
        stage.emit(9)
        #expect(await first.value == "9")
        stage.emit(8)
        #expect(await stage.next() == "8")
    }
}
