import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// The rows of the table of `forEachLatest`.
@Suite("A stream's forEachLatest", .watchdog)
struct ForEachLatestTests {
    private let promise = StreamPromise<Int>(capacity: 0)
    private let log = Log<String>()

    /// Waits forever with each value, and records the end of each call.
    private func start(_ derived: FutureStream<Int>? = nil, waitsForLast: Bool = false) -> Task<Void, any Error> {
        let (stream, log) = (derived ?? promise.stream, log)
        return Task {
            try await stream.forEachLatest(waitsForLast: waitsForLast) { value in
                log.add("\(value) begins")
                defer { log.add("\(value) ends") }
                _ = try await Future<Int>().value
            }
        }
    }

    private func emit(_ value: Int, to derived: FutureStream<Int>? = nil) async {
        await until { (derived ?? promise.stream).core.subscriberCount == 1 }
        promise.success(value)
        await until { log.all.contains("\(value) begins") }
    }

    @Test func `the next value cancels the running call, and waits for it`() async throws {
        let task = start()
        await emit(1)
        await emit(2)
        #expect(log.all == ["1 begins", "1 ends", "2 begins"])
        promise.finish()
        try await task.value
        #expect(log.all.last == "2 ends")
    }

    @Test func `a failure of the stream cancels the call and is thrown`() async {
        let task = start()
        await emit(1)
        promise.failure(Oops.source)
        await #expect(throws: Oops.source) { try await task.value }
        #expect(log.all == ["1 begins", "1 ends"])
        #expect(promise.stream.core.subscriberCount == 0)
    }

    @Test func `canceling the stream cancels the call and throws CancellationError`() async {
        let token = CancelToken()
        let derived = promise.stream.map(context: immediate, cancelToken: token) { $0 }
        let task = start(derived)
        await emit(1, to: derived)
        token.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.all == ["1 begins", "1 ends"])
    }

    @Test(arguments: [false, true])
    func `canceling the task cancels the call and unsubscribes`(waitsForLast: Bool) async {
        let task = start(waitsForLast: waitsForLast)
        await emit(1)
        if waitsForLast { promise.finish() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.all == ["1 begins", "1 ends"])
        #expect(promise.stream.core.subscriberCount == 0)
    }

    @Test func `canceling the task while it waits for the last call cancels the call`() async {
        let stream = FutureStream<Int>(value: 1)
        stream.finish()
        let waits = Box(false)
        let task = Task { [log] in
            try await stream.forEachLatest(waitsForLast: true) { _ in
                // When the loop of this call waits for nothing else, it is at its end.
                while !Task.isCancelled {
                    waits.value = true
                    await Task.yield()
                }
                log.add("canceled")
            }
        }
        await until { waits.value && stream.core.subscriberCount == 0 }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        try? await task.value
        #expect(log.all == ["canceled"])
    }

    @Test func `an error of the call is thrown at once and unsubscribes`() async {
        let stream = promise.stream
        let task = Task { try await stream.forEachLatest { if $0 == 2 { throw Oops.thrown } } }
        await until { stream.core.subscriberCount == 1 }
        promise.success(1)
        promise.success(2)
        await #expect(throws: Oops.thrown) { try await task.value }
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `with waitsForLast the last call runs to its end, and its error counts`() async throws {
        for fails in [false, true] {
            let (stream, gate) = (FutureStream<Int>(value: 1), Promise<Void>())
            stream.finish()
            let ended = Box(false)
            let task = Task {
                try await stream.forEachLatest(waitsForLast: true) { _ in
                    try await gate.future.value
                    ended.value = true
                }
            }
            if fails { gate.failure(Oops.thrown) } else { gate.success() }
            if fails {
                await #expect(throws: Oops.thrown) { try await task.value }
            } else {
                try await task.value
            }
            #expect(ended.value == !fails)
        }
    }

    @MainActor @Test func `the closure has the caller's actor`() async throws {
        let stream = FutureStream<Int>(value: 1)
        stream.finish()
        var seen: [Int] = []
        try await stream.forEachLatest(waitsForLast: true) { value in
            MainActor.assertIsolated()
            await Task.yield()
            seen.append(value)
        }
        MainActor.assertIsolated()
        #expect(seen == [1])
    }
}

/// The rows of the table of `runUntilFailure`.
@Suite("A stream's runUntilFailure", .watchdog)
struct RunUntilFailureTests {
    private let promise = StreamPromise<Int>(capacity: 0)
    private let reply = Promise<String>()

    private func start(_ derived: FutureStream<Int>? = nil) async -> Task<String, any Error> {
        let (stream, reply) = (derived ?? promise.stream, reply.future)
        let task = Task { try await stream.runUntilFailure { try await reply.value } }
        await until { reply.observerCount == 1 }
        return task
    }

    @Test func `the closure's result is returned, and the stream is unsubscribed`() async throws {
        for fails in [false, true] {
            let reply = Future<String>()
            let task = Task { [stream = promise.stream] in try await stream.runUntilFailure { try await reply.value } }
            await until { reply.observerCount == 1 }
            promise.success(1)
            if fails { reply.failure(Oops.thrown) } else { reply.success("reply") }
            #expect(await Outcome(Try(task.result)) == (fails ? .failure(Oops.thrown) : .success("reply")))
            #expect(promise.stream.core.subscriberCount == 0)
        }
    }

    @Test func `a failure of the stream cancels the closure and is thrown`() async {
        let task = await start()
        promise.failure(Oops.source)
        await #expect(throws: Oops.source) { try await task.value }
        #expect(reply.future.observerCount == 0)
    }

    @Test func `a failure of the stream is thrown even if the closure returns a value`() async {
        let stream = promise.stream
        let task = Task { try await stream.runUntilFailure { await stream.core.subscriberCount == 1 ? wait() : false } }
        await until { stream.core.subscriberCount == 1 }
        promise.failure(Oops.source)
        await #expect(throws: Oops.source) { try await task.value }
    }

    private func wait() async -> Bool {
        _ = await reply.future.outcome
        return true
    }

    @Test func `when the stream finishes the closure continues`() async throws {
        let task = await start()
        promise.finish()
        reply.success("reply")
        #expect(try await task.value == "reply")
    }

    @Test func `canceling the stream cancels the closure and throws CancellationError`() async {
        let token = CancelToken()
        let task = await start(promise.stream.map(context: immediate, cancelToken: token) { $0 })
        token.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `canceling the task cancels the closure and unsubscribes`() async {
        let task = await start()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(promise.stream.core.subscriberCount == 0)
    }

    @Test func `with a failure in the replay buffer the closure does not run`() async {
        let stream = FutureStream<Int>(error: Oops.source)
        await #expect(throws: Oops.source) {
            try await stream.runUntilFailure { Issue.record("runs") }
        }
    }

    @MainActor @Test func `the closure has the caller's actor`() async throws {
        var count = 0
        let result = try await promise.stream.runUntilFailure {
            MainActor.assertIsolated()
            await Task.yield()
            count += 1
            return count
        }
        MainActor.assertIsolated()
        #expect(result == 1)
    }
}

@Suite("The buffer of asyncMap and similar functions", .watchdog)
struct AsyncBufferingTests {
    private let promise = StreamPromise<Int>(capacity: 0)
    private let gate = Promise<Void>()
    private let begun = Box(false)

    /// Emits one element, with which the closure waits, and four more in the meantime.
    private func emit() async {
        promise.success(0)
        await until { begun.value }
        for value in 1...4 { promise.success(value) }
        gate.success()
        promise.finish()
    }

    @Sendable private func step(_ value: Int) async -> Int {
        begun.value = true
        _ = await gate.future.outcome
        return value
    }

    @Test(arguments: [
        (StreamBufferingPolicy.unbounded, [0, 1, 2, 3, 4]), (.newest(1), [0, 4]), (.oldest(1), [0, 1]),
    ])
    func `a policy decides what happens to elements that arrive during a call`(
        policy: StreamBufferingPolicy, kept: [Int]
    ) async throws {
        let derived = promise.stream.asyncMap(buffering: policy) { await step($0) }
        let values = derived.subscription()
        await emit()
        var all: [Int] = []
        for try await value in values { all.append(value) }
        #expect(all == kept)
    }

    @Test func `a buffer overflow is the last failure, and the stream is unsubscribed`() async throws {
        let derived = promise.stream.asyncMap(buffering: .failing(1)) { await step($0) }
        let results = derived.subscription().results
        await emit()
        var all: [Outcome<Int>] = []
        for await result in results { all.append(Outcome(result)) }
        #expect(all == [.success(0), .success(1), .failure(FuturesError.bufferOverflow(dropped: 3))])
    }

    @Test func `a buffer overflow in asyncForEach fails the future`() async {
        let end = promise.stream.asyncForEach(buffering: .failing(1)) { _ = await step($0) }
        await emit()
        #expect(await end.outcome.error as? FuturesError == .bufferOverflow(dropped: 3))
    }
}
