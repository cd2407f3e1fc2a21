import SimpleFutures
@testable import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Waiting for an element, alone and with other calls", .watchdog)
struct StreamWaitTests {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `calls canceled in the queue, or before they join it, leave later calls in order`() {
        let steps = Steps()
        let iterator = SharedIterator(steps.promise.stream)
        let calls = ["first", "second", "third", "fourth", "fifth"].map { name in
            defer { #expect(steps.words() == []) }
            return steps.call(name, iterator)
        }
        calls[2].cancel()
        #expect(steps.words() == ["third cancelled"])
        calls[4].cancel()
        #expect(steps.words() == ["fifth cancelled"])
        steps.call("early", iterator).cancel()
        #expect(steps.words() == ["early cancelled"])
        for number in 1...3 { steps.promise.success(number) }
        #expect(steps.words() == ["first 1", "second 2", "fourth 3"])
        steps.promise.success(4)
        steps.call("last", iterator)
        #expect(steps.words() == ["last 4"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: ["element", "end", "cancellation"])
    func `a wait ends at once if an event arrived before it began`(_ event: String) {
        let (steps, gate) = (Steps(), InboxGate(.unbounded))
        let wait = Task(executorPreference: steps.executor) {
            await gate.wait(as: Subscriber(.everything), of: FutureStream<Int>().core)
            steps.heard.append("over")
        }
        switch event {
        case "element": gate.admit(1) { _ in false }
        case "end": gate.end(with: .finish)
        default: wait.cancel()
        }
        #expect(steps.words() == ["over"])
        #expect(!gate.isAwaited)
        // Ends the wait if the test has failed.
        gate.end(with: .finish)
        steps.executor.run()
    }

    @Test(arguments: [true, false])
    func `the source is stopped if a wait is canceled before or after the buffer is closed`(isClosed: Bool) async {
        let (stopped, gate, subscriber) = (Tally(), InboxGate(.unbounded), Subscriber(.everything))
        let stream = FutureStream<Int>(capacity: 0) { emitter in
            CancelAction { withExtendedLifetime(emitter) { stopped.add() } }
        }
        stream.core.subscribe(sink: subscriber)
        if isClosed { gate.close(0) {} }
        gate.cancelWait(subscriber, stream.core)
        if !isClosed {
            #expect(stopped.count == 0)
            gate.close(0) {}
            gate.finishLeaving()
        }
        await until { stopped.count == 1 }
    }

    @Test(arguments: BufferingTests.policies)
    func `a closed buffer accepts nothing, and counts all that arrives as dropped`(_ policy: StreamBufferingPolicy) {
        let gate = InboxGate(policy)
        var kept = 0
        gate.admit(1) {
            kept += $0.appended.count
            return false
        }
        gate.close(0) {}
        #expect(kept == 1)
        #expect(gate.dropped == 1)
        // An element may be on its way while the iterator unsubscribes.
        gate.admit(5) {
            #expect($0.appended.isEmpty && $0.evicted == 0 && !$0.isLossy)
            return false
        }
        #expect(gate.dropped == 6)
    }

    @Test func `elements of several threads reach each loop in order, each once`() async throws {
        for _ in 0..<Stress.rounds(5) {
            let promise = StreamPromise<(thread: Int, number: Int)>(capacity: 0)
            let loops = (0..<4).map { _ in
                let subscription = promise.stream.subscription()
                return Task {
                    var next = [0, 0, 0, 0]
                    for try await (thread, number) in subscription {
                        #expect(next[thread] == number)
                        next[thread] += 1
                    }
                    return next
                }
            }
            await concurrently(4) { thread in for number in 0..<500 { promise.success((thread, number)) } }
            promise.finish()
            for loop in loops { #expect(try await loop.value == [500, 500, 500, 500]) }
        }
    }

    @Test func `each element goes to one of the calls that overlap`() async {
        for _ in 0..<Stress.rounds(20) {
            let promise = StreamPromise<Int>(capacity: 0)
            let stage = SharedIterator(promise.stream)
            let tasks = (0..<4).map { _ in
                Task {
                    var values: [Int] = []
                    while let result = await stage.next() { if let value = result.value { values.append(value) } }
                    return values
                }
            }
            for number in 0..<400 {
                promise.success(number)
                if number.isMultiple(of: 50) { await Task.yield() }
            }
            promise.finish()
            var all: [Int] = []
            for task in tasks {
                let values = await task.value
                #expect(values == values.sorted())
                all += values
            }
            #expect(all.sorted() == Array(0..<400))
        }
    }

    @Test(arguments: SharedCall.allCases) @MainActor
    func `a call waits for an earlier call even if there is an element`(_ call: SharedCall) async {
        let promise = StreamPromise<Int>(capacity: 0)
        let next = call.shared(by: promise.stream)
        let first = Task { @MainActor in [await next(), await next()] }
        let second = Task { @MainActor in await next() }
        await Task { @MainActor in }.value
        for number in 1...3 { promise.success(number) }
        #expect(await first.value == [1, 3])
        #expect(await second.value == 2)
    }

    @Test @MainActor func `a call that began before another call's task was canceled is canceled too`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let shared = SharedIterator(promise.stream)
        let first = Task { @MainActor in await shared.next() }
        let second = Task { @MainActor in await shared.next() }
        await Task { @MainActor in }.value
        first.cancel()
        #expect(await first.value?.error is CancellationError)
        #expect(await second.value?.error is CancellationError)
        #expect(await shared.next() == nil)
    }

    @Test @MainActor func `calls on an actor wait, in order, before the actor does anything else`() async {
        for _ in 0..<20 {
            let stage = Stage<FutureStreamResults<Int>.Iterator>()
            let calls = (1...30).map { _ in Task { @MainActor in await stage.next() } }
            #expect(await Task { @MainActor in stage.isAwaited }.value)
            for number in 1...30 { stage.emit(number) }
            var words: [String] = []
            for call in calls { words.append(await call.value) }
            #expect(words == (1...30).map { "\($0)" })
        }
    }
}

/// A way to call an iterator that several tasks use against the rules, each with a copy.
enum SharedCall: CaseIterable, Sendable {
    case value, valueOnActor, result, resultOnActor

    @MainActor func shared(by stream: FutureStream<Int>) -> @MainActor () async -> Int? {
        let (values, results) = (stream.values.makeAsyncIterator(), stream.results.makeAsyncIterator())
        return {
            var (values, results) = (values, results)
            return switch self {
            case .value: try? await values.next()
            case .valueOnActor: try? await values.next(isolation: MainActor.shared)
            case .result: await results.next()?.value
            case .resultOnActor: await results.next(isolation: MainActor.shared)?.value
            }
        }
    }
}

/// Runs tasks step by step, so that a test can act between the steps of a wait.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class Steps: Sendable {
    let promise = StreamPromise<Int>(capacity: 0)
    let executor = SteppedExecutor()
    let heard = Box<[String]>([])

    /// A call of `next()` that begins with the next step.
    @discardableResult
    func call(_ name: String, _ iterator: SharedIterator) -> Task<Void, Never> {
        Task(executorPreference: executor) { [heard] in
            let word = await iterator.word()
            heard.append("\(name) \(word)")
        }
    }

    /// The results when all tasks have gone as far as they can.
    func words() -> [String] {
        executor.run()
        return heard.take()
    }
}

/// Runs jobs on demand.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class SteppedExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
