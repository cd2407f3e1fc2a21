import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
import Watchdog

// In tasks of their own, as what hangs is cancelled.

@Suite("The watchdog of the tests")
struct WatchdogTests {
    @Test func `what hangs is cancelled, and told with what is alive`() async throws {
        let (error, hang) = await Task {
            await Watchdog.watch("a wait", patience: 0.01) {
                let promise = Promise<Int>(fileID: "WatchdogTests/wait", line: 7)
                _ = try await promise.future.value
                promise.success(1)
            }
        }.value
        #expect(error is CancellationError)
        let text = try #require(hang)
        #expect(text.hasPrefix("a wait has not ended in 0.01 seconds. Alive are:\n"))
        #expect(text.contains("    Promise(Future<Int>(pending, 1 waiting), createdAt: WatchdogTests/wait:7)\n"))
    }

    @Test func `what does not end when it is cancelled ends the process, which tells`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = await Watchdog.watch("a blocked thread", patience: 0.01, grace: 0.01) {
                let future = Future<Double>()
                blockForEver()
                future.success(1)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a blocked thread has not ended in 0.01 seconds"))
        #expect(text.contains("    Future<Double>(pending, 0 waiting)\n"))
        #expect(text.contains("It was cancelled, and has not ended even so."))
    }

    @Test func `what ends is not told of`() async {
        let (error, hang) = await Watchdog.watch("an end", patience: 100) {}
        #expect(error == nil && hang == nil)
        let (thrown, nothing) = await Watchdog.watch("a throw", patience: 0) { throw CancellationError() }
        #expect(thrown is CancellationError && nothing == nil)
    }
}

private func blockForEver() { DispatchSemaphore(value: 0).wait() }
