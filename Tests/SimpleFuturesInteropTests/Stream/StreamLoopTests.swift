import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Loops over streams", .watchdog)
struct StreamLoopTests {
    /// Loops over a stream, and adds its values to a log.
    typealias Loop = @MainActor @Sendable (FutureStream<Int>, Log<String>) async throws -> Void

    static let loops: [String: Loop] = [
        "values": { for try await value in $0.values { $1.add("value \(value)") } },
        "results": { for await result in $0.results { if let value = result.value { $1.add("value \(value)") } } },
        "subscription": { for try await value in $0.subscription() { $1.add("value \(value)") } },
        "map": { stream, log in
            let mapped = stream.map(context: immediate) { $0 }.subscription()
            for try await value in mapped { log.add("value \(value)") }
        },
    ]

    @Test(arguments: loops.keys.sorted(), [nil, immediate, DispatchQueue.main] as [(any ExecutionContext)?])
    @MainActor
    func `a loop begins a new run of the source, even if the canceled one has not gone on`(
        _ name: String, context: (any ExecutionContext)?
    ) async throws {
        let (log, loop) = (Log<String>(), Self.loops[name]!)
        let stream = FutureStream<Int>(capacity: 0, context: context) { emitter in
            DispatchQueue.main.async { emitter.success(1) }
            return CancelAction { withExtendedLifetime(emitter) { log.add("stop") } }
        }
        let old = Task { try await loop(stream, log) }
        // On the main actor: then the loop waits for the next element.
        await until { log.count == 1 }
        // No code of the user's runs in the cancellation handler of the task.
        old.cancel()
        log.add("canceled")
        let new = Task { try await loop(stream, log) }
        await until { log.count == 4 }
        #expect(log.all == ["value 1", "canceled", "stop", "value 1"])
        new.cancel()
        await until { log.count == 5 }
        _ = await (old.result, new.result)
        #expect(log.last == "stop" && stream.core.subscriberCount == 0)
    }

    @Test func `forEachLatest begins no call in a task that was canceled while it stopped one`() async {
        let (promise, begun) = (StreamPromise<Int>(capacity: 0), Log<Int>())
        let (gate, isStopping) = (Promise<Void>(), AsyncGate())
        let task = Task {
            try await promise.stream.forEachLatest { value in
                begun.add(value)
                await withTaskCancellationHandler {
                    // It does not notice that it is canceled.
                    await withCheckedContinuation { continuation in
                        gate.future.onComplete(context: immediate) { _ in continuation.resume() }
                    }
                } onCancel: {
                    isStopping.open()
                }
            }
        }
        await until { promise.stream.core.subscriberCount == 1 }
        promise.success(1)
        await until { begun.count == 1 }
        promise.success(2)
        await isStopping.pass()
        task.cancel()
        gate.success()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(begun.all == [1])
    }

    @Test func `a subscription begins now, and is iterated later, once, for values or results`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let values = promise.stream.subscription()
        let results = promise.stream.subscription(buffering: .oldest(3))
        #expect(promise.stream.core.subscriberCount == 2)
        promise.success(1)
        promise.success(2)
        promise.failure(Failure())
        promise.success(3)
        promise.finish()
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.rest() == ["1", "2", "failure", "end"])
        #expect(results.droppedCount == 1)
        var resultIterator = results.results.makeAsyncIterator()
        #expect(await resultIterator.rest() == ["1", "2", "failure", "end"])
        #expect(resultIterator.droppedCount == 1)
        for var again in [values.results.makeAsyncIterator(), results.results.makeAsyncIterator()] {
            #expect(await again.rest() == ["nothing", "end"])
        }
        await #expect(throws: FuturesError.noSuchElement) { for try await _ in values {} }
    }

    @Test func `elements taken at once end with the first failure, and later ones count as dropped`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        var iterator = promise.stream.values.makeAsyncIterator()
        promise.success(1)
        promise.failure(Failure())
        for number in 2...3 { promise.success(number) }
        #expect(await [iterator.word(), iterator.word(), iterator.word()] == ["1", "failure", "end"])
        #expect(iterator.droppedCount == 2)
    }

    @Test(arguments: [true, false])
    func `a loop whose task is canceled gets no more elements, even if it has taken them`(_ throwing: Bool) async {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        for number in 1...5 { promise.success(number) }
        let words = await Task {
            var words: [String] = []
            func note(_ word: String) {
                words.append(word)
                if word == "2" { withUnsafeCurrentTask { $0?.cancel() } }
            }
            if throwing {
                do {
                    for try await number in subscription { note("\(number)") }
                } catch {
                    note("\(type(of: error))")
                }
            } else {
                for await result in subscription.results { note(result.value.map(String.init) ?? "cancelled") }
            }
            return words
        }.value
        #expect(words == ["1", "2", throwing ? "CancellationError" : "cancelled"])
    }

    @Test func `an iterator ends when its bare stream is released`() async throws {
        var stream: FutureStream<Int>? = FutureStream(value: 1)
        var iterator = stream!.values.makeAsyncIterator()
        stream = nil
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == nil)
    }

    @Test func `elements of any size and references are delivered and released`() async throws {
        let count = Tally()
        let promise = StreamPromise<(Captive, Int, Int, Int, String)>(capacity: 2)
        for number in 0..<10 { promise.success((Captive(count), number, 1, 2, "\(number)")) }
        #expect(count.count == 2)
        var iterator = promise.stream.values.makeAsyncIterator()
        var first = try await iterator.next()
        #expect(first?.1 == 8)
        #expect(first?.4 == "8")
        promise.success((Captive(count), 10, 1, 2, "10"))
        promise.success((Captive(count), 11, 1, 2, "11"))
        #expect(count.count == 4)
        first = try await iterator.next()
        #expect(count.count == 3)
        first = nil
        promise.finish()
        #expect(try await iterator.next()?.1 == 10)
        #expect(try await iterator.next()?.1 == 11)
        #expect(try await iterator.next() == nil)
    }

    @Test func `a callback can wait for a loop that processes its element`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        let (trigger, done) = (Promise<Void>(), Promise<Int>())
        let loop = Task {
            for await result in subscription.results { done.success(result.value ?? 0) }
        }
        let queue = DispatchQueue(label: "callback")
        let answer = trigger.future.map(context: queue) {
            // Emitted inside a callback, and needed before it returns.
            promise.success(5)
            return try done.future.wait(timeout: .seconds(1_000))
        }
        trigger.success()
        #expect(await answer.outcome.value == 5)
        promise.finish()
        await loop.value
    }

    @Test @MainActor func `releasing a dropped element can unsubscribe a callback on the main queue`() async throws {
        let promise = StreamPromise<AtDeinit>(capacity: 0)
        let (token, cancelled, other) = (CancelToken(), Tally(), Tally())
        promise.stream.onSuccess(context: QueueContext.mainImmediate, cancelToken: token) { _ in cancelled.add() }
        promise.stream.onSuccess(context: QueueContext.main) { _ in other.add() }
        let subscription = promise.stream.subscription(buffering: .newest(1))
        promise.success(AtDeinit { token.cancel() })
        await until { other.count == 1 }
        promise.success(AtDeinit {})
        await until { other.count == 2 }
        #expect(cancelled.count == 1)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a loop receives its first element however fast another thread emits`() async throws {
        let (promise, isOver) = (StreamPromise<Int>(capacity: 1_000), Box(false))
        let (isAtIt, emitted) = (Promise<Void>(), Promise<Int>())
        Thread {
            var count = 0
            while !isOver.value {
                count += 1
                promise.success(count)
                if count == 1_000 { isAtIt.success() }
            }
            promise.finish()
            emitted.success(count)
        }.start()
        try await isAtIt.future.value
        var all: [Int] = []
        for try await value in promise.stream.values {
            isOver.value = true
            all.append(value)
        }
        #expect(try await emitted.future.value == all.last)
        #expect(all == Array(all[0]..<all[0] + all.count))
    }

    // In a separate process, because all tests share one diagnostics handler.
    @Test func `a second loop over a subscription is reported`() async {
        await #expect(processExitsWith: .success) {
            let reports = Box<[FuturesDiagnostic]>([])
            FuturesDiagnostics.handler = { report in reports.append(report) }
            let subscription = StreamPromise<Int>().stream.subscription()
            _ = subscription.makeAsyncIterator()
            precondition(reports.value.isEmpty)
            _ = subscription.makeAsyncIterator()
            guard case .iteratedAgain(let site?)? = reports.value.first else { fatalError("\(reports.value)") }
            precondition("\(site)".contains("StreamLoopTests.swift"))
        }
    }

    @Test func `a negative capacity of a stream from a sequence or a source stops the program`() async {
        let sequences = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = AsyncStream<Int> { $0.finish() }.futureStream(capacity: -1)
        }
        expect(sequences, toSay: "A FutureStream was given the capacity -1", "Pass 0")
        let sources = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>(capacity: -2) { _ in CancelAction {} }
        }
        expect(sources, toSay: "A FutureStream was given the capacity -2", "Pass 0")
    }

    @Test @MainActor func `buffered elements are iterated without suspension`() async throws {
        let promise = StreamPromise<Int>()
        for number in 0..<1_000 { promise.success(number) }
        promise.finish()
        var sum = 0
        try await expectNoSuspension {
            for try await value in promise.stream.values { sum += value }
            for await result in promise.stream.results { sum += result.value ?? 0 }
            for try await value in promise.stream.values(buffering: .oldest(1_000)) { sum += value }
            for try await value in promise.stream.subscription() { sum += value }
        }
        #expect(sum == 4 * 499_500)
    }

    @Test(arguments: [MainActor.shared, Host()] as [any Actor])
    func `a loop that has to wait stays on its actor`(_ actor: any Actor) async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        let emitter = Task.detached {
            for number in 0..<100 {
                promise.success(number)
                await Task.yield()
            }
            promise.finish()
        }
        func iterate(on actor: isolated any Actor) async throws -> [Int] {
            var values: [Int] = []
            for try await value in subscription {
                actor.assertIsolated()
                values.append(value)
            }
            actor.assertIsolated()
            return values
        }
        #expect(try await iterate(on: actor) == Array(0..<100))
        await emitter.value
    }
}

private actor Host {}
