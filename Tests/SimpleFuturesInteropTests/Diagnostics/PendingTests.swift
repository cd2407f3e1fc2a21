import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// In separate processes: reading the live objects keeps all of them alive for a moment, which other tests would notice.

@Suite("The watchdog of the tests", .watchdog)
struct WatchdogTests {
    @Test func `a test that hangs is canceled and reported with the live objects`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let (error, hang) = await Watchdog.watch("a wait", patience: 3) {
                let promise = Promise<Int>(fileID: "App/Profile.swift", line: 7)
                _ = try await promise.future.value
                promise.success(1)
            }
            precondition(error is CancellationError)
            let text = """
                a wait has not ended in 3.0 seconds. Alive are:
                    Future<Int>, which the promise made at App/Profile.swift:7 completes
                        an await or a wait

                """
            precondition(hang == text, hang ?? "nothing")
        }
    }
}

@Suite("Pending futures and their waiters, across the bridge", .watchdog)
struct PendingTests {
    @Test func `the report includes awaits, loops and task names`() async {
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

    @Test func `the report includes a loop's unread elements and how many of them are failures`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let stream = StreamPromise<Int>(capacity: 0, fileID: "App/Clicks.swift", line: 4)
            var loop = stream.stream.values.makeAsyncIterator()
            func expectLoop(_ text: String) {
                let line = FuturesDiagnostics.pending.split(separator: "\n").last
                precondition(line == "    a loop\(text)", FuturesDiagnostics.pending)
            }
            stream.success(1)
            expectLoop(" that has not read 1 element")
            stream.success(2)
            _ = try? await loop.next()
            expectLoop(" that has not read 1 element")
            _ = try? await loop.next()
            expectLoop("")
            stream.failure(Oops.other)
            expectLoop(" that has not read 1 element, a failure")
            stream.success(3)
            expectLoop(" that has not read 2 elements, 1 of them a failure")
            stream.failure(Oops.other)
            expectLoop(" that has not read 3 elements, 2 of them failures")
            _ = consume loop
        }
    }

    @Test func `a loop that was released is not kept for the report, nor are its unread elements`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let stream = StreamPromise<Probe>(capacity: 0)
            let loop = stream.stream.subscription()
            let element = Watch { stream.success($0) }
            precondition(!element.isReleased)
            _ = consume loop
            precondition(element.isReleased)
        }
    }
}
