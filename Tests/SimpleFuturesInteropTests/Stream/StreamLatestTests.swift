import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// The ways to interrupt `forEachLatest` and `runUntilFailure`: each cancels the closure.
enum Interruption: CaseIterable, Sendable {
    case failure, cancellationOfStream, cancellationOfTask

    func happen(to emitter: Emitter, _ task: Task<some Sendable, any Error>) {
        switch self {
        case .failure: emitter.fail()
        case .cancellationOfStream: emitter.end(.cancellation)
        case .cancellationOfTask: task.cancel()
        }
    }

    func isReason(for error: (any Error)?) -> Bool {
        self == .failure ? error as? Oops == .source : error is CancellationError
    }
}

/// The rows of the table of `forEachLatest`.
@Suite("A stream's forEachLatest", .watchdog)
struct ForEachLatestTests {
    private let emitter = Emitter(capacity: 0)
    private let log = Log<String>()

    /// Waits forever with each value, and records the end of each call.
    private func start(waitsForLast: Bool = false) -> Task<Void, any Error> {
        let (stream, log) = (emitter.stream, log)
        return Task {
            try await stream.forEachLatest(waitsForLast: waitsForLast) { value in
                log.add("\(value) begins")
                defer { log.add("\(value) ends") }
                _ = try await Future<Int>().value
            }
        }
    }

    private func emit(_ value: Int) async {
        await until { emitter.stream.core.subscriberCount == 1 }
        emitter.emit(value)
        await until { log.all.contains("\(value) begins") }
    }

    @Test func `the next value and the end cancel the running call, and wait for it`() async throws {
        let task = start()
        await emit(1)
        await emit(2)
        #expect(log.all == ["1 begins", "1 ends", "2 begins"])
        emitter.end(.finish)
        try await task.value
        #expect(log.all.last == "2 ends")
    }

    @Test func `values that arrive while a call is being stopped replace each other`() async throws {
        let (promise, gate, alive, log) = (StreamPromise<Captive>(capacity: 0), Promise<Void>(), Tally(), log)
        let task = Task {
            try await promise.stream.forEachLatest(waitsForLast: true) { _ in
                log.add("begins")
                // It does not notice that it is canceled.
                await withCheckedContinuation { continuation in
                    gate.future.onComplete(context: immediate) { _ in continuation.resume() }
                }
            }
        }
        await until { promise.stream.core.subscriberCount == 1 }
        promise.success(Captive(alive))
        await until { log.count == 1 }
        for _ in 0..<100 { promise.success(Captive(alive)) }
        await until { alive.count <= 3 }
        promise.finish()
        gate.success()
        try await task.value
        #expect(log.count <= 3)
    }

    @Test func `no handler runs inside the cancellation of a wait for the last call`() async throws {
        let (stream, lock) = (FutureStream<Int>(value: 1), DispatchSemaphore(value: 1))
        let (begun, never) = (AsyncGate(), AsyncGate())
        stream.finish()
        let task = Task {
            try await stream.forEachLatest(waitsForLast: true) { _ in
                await withTaskCancellationHandler {
                    begun.open()
                    await never.pass()
                } onCancel: {
                    lock.wait()
                    lock.signal()
                }
            }
        }
        await begun.pass()
        // The loop has ended by then.
        try await Task.sleep(for: .milliseconds(50))
        let isCanceled = returns {
            lock.wait()
            task.cancel()
            lock.signal()
        }
        #expect(isCanceled)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // On the main actor, so that the loop takes no value while the call runs.
    @Test(arguments: [false, true])
    func `a call that fails before the next value is taken ends it: no call follows`(finishes: Bool) async {
        let (stream, log) = (emitter.stream, log)
        let task = Task { @MainActor in
            try await stream.forEachLatest(waitsForLast: true) { value in
                MainActor.assertIsolated()
                log.add("\(value)")
                guard value == 1 else { return }
                stream.success(2)
                stream.success(3)
                if finishes { stream.finish() }
                throw Oops.thrown
            }
        }
        await until { stream.core.subscriberCount == 1 }
        emitter.emit(1)
        await #expect(throws: Oops.thrown) { try await task.value }
        #expect(log.all == ["1"])
    }

    @Test(arguments: Interruption.allCases, [false, true])
    func `a failure or a cancellation of the stream or the task cancels the call, unsubscribes and is thrown`(
        interruption: Interruption, waitsForLast: Bool
    ) async {
        let task = start(waitsForLast: waitsForLast)
        await emit(1)
        if waitsForLast, interruption == .cancellationOfTask { emitter.end(.finish) }
        interruption.happen(to: emitter, task)
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(interruption.isReason(for: error))
        #expect(log.all == ["1 begins", "1 ends"])
        #expect(emitter.stream.core.subscriberCount == 0)
    }

    @Test(arguments: [true, false])
    func `canceling the task while it waits for the last call cancels the call, and is thrown`(_ fails: Bool) async {
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
                if fails { throw Oops.thrown }
            }
        }
        await until { waits.value && stream.core.subscriberCount == 0 }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.all == ["canceled"])
    }

    @Test func `an error of the call is thrown at once and unsubscribes`() async {
        let stream = emitter.stream
        let task = Task { try await stream.forEachLatest { if $0 == 2 { throw Oops.thrown } } }
        await until { stream.core.subscriberCount == 1 }
        emitter.emit(1, 2)
        await #expect(throws: Oops.thrown) { try await task.value }
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: [Try.success(1), .failure(Oops.thrown)])
    func `with waitsForLast the last call runs to its end, and its error counts`(result: Try<Int>) async {
        let (stream, gate, ended) = (FutureStream<Int>(value: 1), Promise<Int>(), Box(0))
        stream.finish()
        let task = Task {
            try await stream.forEachLatest(waitsForLast: true) { _ in ended.value = try await gate.future.value }
            return ended.value
        }
        gate.complete(result)
        #expect(await Outcome(Try(task.result)) == Outcome(result))
        #expect(ended.value == result.value ?? 0)
    }
}

/// The rows of the table of `runUntilFailure`.
@Suite("A stream's runUntilFailure", .watchdog)
struct RunUntilFailureTests {
    private let emitter = Emitter(capacity: 0)
    private let reply = Promise<String>()

    private func start() async -> Task<String, any Error> {
        let (stream, reply) = (emitter.stream, reply.future)
        let task = Task { try await stream.runUntilFailure { try await reply.value } }
        await until { reply.observerCount == 1 }
        return task
    }

    @Test(arguments: [Try.success("reply"), .failure(Oops.thrown)], [false, true])
    func `the result is returned, even if the stream has finished`(result: Try<String>, hasFinished: Bool) async {
        let task = await start()
        emitter.emit(1)
        if hasFinished { emitter.end(.finish) }
        reply.complete(result)
        #expect(await Outcome(Try(task.result)) == Outcome(result))
        #expect(emitter.stream.core.subscriberCount == 0)
    }

    @Test func `a failure that another thread is still delivering counts: the closure does not run`() async {
        let (stream, gate, inside) = (FutureStream<Int>(capacity: 1), Gate(), Promise<Void>())
        stream.onFailure(context: immediate) { _ in
            inside.success()
            gate.pass()
        }
        async let emission: Void = onThread { stream.failure(Oops.thrown) }
        _ = await inside.future.outcome
        await #expect(throws: Oops.thrown) { try await stream.runUntilFailure { Issue.record("it ran") } }
        gate.open()
        await emission
        #expect(stream.core.subscriberCount == 1)
    }

    @Test(arguments: Interruption.allCases)
    func `an interruption cancels the closure, unsubscribes and is thrown`(interruption: Interruption) async {
        let task = await start()
        interruption.happen(to: emitter, task)
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(interruption.isReason(for: error))
        #expect(reply.future.observerCount == 0 && emitter.stream.core.subscriberCount == 0)
    }

    @Test(arguments: [Interruption.failure, .cancellationOfStream])
    func `the end of the stream is thrown even if the closure returns a value`(interruption: Interruption) async {
        let (stream, reply) = (emitter.stream, reply.future)
        let task = Task { try await stream.runUntilFailure { await reply.outcome.value } }
        await until { reply.observerCount == 1 }
        interruption.happen(to: emitter, task)
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(interruption.isReason(for: error))
    }

    @Test func `of several failures during the closure the first is thrown`() async {
        let (stream, gate) = (emitter.stream, AsyncGate())
        let task = Task { try await stream.runUntilFailure { await Task { await gate.pass() }.value } }
        await until { stream.core.subscriberCount == 1 }
        stream.failure(Oops.source)
        stream.failure(Oops.other)
        gate.open()
        await #expect(throws: Oops.source) { try await task.value }
    }

    @Test func `with failures in the replay buffer the closure does not run, and the first is thrown`() async {
        let stream = FutureStream<Int>(error: Oops.source)
        stream.failure(Oops.other)
        await #expect(throws: Oops.source) {
            try await stream.runUntilFailure { Issue.record("runs") }
        }
    }
}

@Suite("The latest element, on an actor", .watchdog)
struct LatestOnActorTests {
    @MainActor @Test func `the closures of runUntilFailure and forEachLatest have the caller's actor`() async throws {
        let stream = FutureStream<Int>(value: 1)
        stream.finish()
        var count = 0
        let result = try await stream.runUntilFailure {
            MainActor.assertIsolated()
            await Task.yield()
            count += 1
            return count
        }
        MainActor.assertIsolated()
        #expect(result == 1)
        try await stream.forEachLatest(waitsForLast: true) { value in
            MainActor.assertIsolated()
            await Task.yield()
            count += value
        }
        MainActor.assertIsolated()
        #expect(count == 2)
    }

    @MainActor @Test func `a value that the next one replaces before its call can begin is skipped`() async throws {
        let stream = FutureStream<Int>()
        for number in 1...3 { stream.success(number) }
        stream.finish()
        var values: [Int] = []
        try await stream.forEachLatest(waitsForLast: true) { values.append($0) }
        #expect(values == [3])
    }
}
