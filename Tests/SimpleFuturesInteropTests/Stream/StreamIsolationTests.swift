import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Iterating on an actor", .watchdog)
struct StreamIsolationTests {
    @Test @MainActor func `what is there is iterated without suspension`() async throws {
        let promise = StreamPromise<Int>()
        for number in 0..<1_000 { promise.success(number) }
        promise.finish()
        var isIntruded = false
        let intruder = Task { @MainActor in isIntruded = true }
        var sum = 0
        for try await value in promise.stream.values { sum += value }
        for await result in promise.stream.results { sum += result.value ?? 0 }
        for try await value in promise.stream.values(buffering: .oldest(1_000)) { sum += value }
        for try await value in promise.stream.subscription() { sum += value }
        #expect(!isIntruded)
        #expect(sum == 4 * 499_500)
        await intruder.value
        #expect(isIntruded)
    }

    @Test @MainActor func `a loop that has to wait stays on its actor`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        let emitter = Task.detached {
            for number in 0..<100 {
                promise.success(number)
                await Task.yield()
            }
            promise.finish()
        }
        var values: [Int] = []
        for try await value in subscription {
            MainActor.assertIsolated()
            values.append(value)
        }
        MainActor.assertIsolated()
        #expect(values == Array(0..<100))
        await emitter.value
    }

    @Test func `an actor iterates on itself`() async throws {
        actor Adder {
            var sum = 0
            func add(_ stream: FutureStream<Int>) async throws {
                for try await value in stream.values {
                    assertIsolated()
                    sum += value
                }
            }
        }
        let promise = StreamPromise<Int>()
        let adder = Adder()
        let adding = Task { try await adder.add(promise.stream) }
        for number in 1...10 {
            promise.success(number)
            await Task.yield()
        }
        promise.finish()
        try await adding.value
        #expect(await adder.sum == 55)
    }

    @Test @MainActor func `a loop ends with its task, and on its actor`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let loop = Task { @MainActor in
            var last: Try<Int>?
            for await result in promise.stream.results { last = result }
            MainActor.assertIsolated()
            return last?.error is CancellationError
        }
        await until { promise.stream.core.subscriberCount == 1 }
        loop.cancel()
        #expect(await loop.value)
        #expect(promise.stream.core.subscriberCount == 0)
    }
}
