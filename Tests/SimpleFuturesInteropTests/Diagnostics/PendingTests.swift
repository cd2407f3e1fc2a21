import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// In a process of its own: what is tracked is tracked for the whole process, and to look at it keeps all of it alive.

@Suite("Who waits on whom, across the bridge", .watchdog)
struct PendingTests {
    @Test func `an await, a loop and the name of a task are told of`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let gate = Promise<Int>(fileID: "App/Gate.swift", line: 3)
            let stream = StreamPromise<Int>(capacity: 0, fileID: "App/Clicks.swift", line: 4)
            let loop = stream.stream.subscription()
            let future = Future(name: "load") { try await gate.future.value }
            let length = Future(name: "length") { 4 }
            let text = """
                Future<Int>, which the promise made at App/Gate.swift:3 completes
                    an await or a wait
                FutureStream with 0 kept, made at App/Clicks.swift:4
                    a loop
                Future<Int> "load"
                """
            await until { FuturesDiagnostics.pending == text }
            precondition(FuturesDiagnostics.pending == text, FuturesDiagnostics.pending)
            gate.success(1)
            _ = await (future.outcome, length.outcome)
            withExtendedLifetime(loop) { stream.finish() }
        }
    }
}
