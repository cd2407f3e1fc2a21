import SimpleFutures
@testable import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Waiting for an element, step by step", .watchdog)
struct StreamWaitTests {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `a call that was cancelled in the queue leaves the way free for later ones`() {
        let steps = Steps()
        let iterator = SharedResults(steps.promise.stream)
        steps.call("first", iterator)
        #expect(steps.words() == [])
        let second = steps.call("second", iterator)
        #expect(steps.words() == [])
        second.cancel()
        #expect(steps.words() == ["second cancelled"])
        steps.promise.success(1)
        #expect(steps.words() == ["first 1"])
        steps.promise.success(2)
        steps.call("third", iterator)
        #expect(steps.words() == ["third 2"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `a call that is cancelled in the queue leaves those behind it their order`() {
        let steps = Steps()
        let iterator = SharedResults(steps.promise.stream)
        let calls = ["first", "second", "third", "fourth"].map { name in
            defer { #expect(steps.words() == []) }
            return steps.call(name, iterator)
        }
        calls[2].cancel()
        #expect(steps.words() == ["third cancelled"])
        for number in 1...3 { steps.promise.success(number) }
        #expect(steps.words() == ["first 1", "second 2", "fourth 3"])
        steps.promise.success(4)
        steps.call("fifth", iterator)
        #expect(steps.words() == ["fifth 4"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `a call that was cancelled before it began to queue is not left in the queue`() {
        let steps = Steps()
        let iterator = SharedResults(steps.promise.stream)
        steps.call("first", iterator)
        #expect(steps.words() == [])
        steps.call("second", iterator).cancel()
        #expect(steps.words() == ["second cancelled"])
        steps.promise.success(1)
        #expect(steps.words() == ["first 1"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `each element wakes up a call that waits, once`() {
        let steps = Steps()
        let iterator = SharedResults(steps.promise.stream, .newest(1))
        for number in 1...3 {
            steps.call("waiting", iterator)
            #expect(steps.words() == [])
            steps.promise.success(10 * number)
            steps.promise.success(10 * number + 1)
            #expect(steps.words() == ["waiting \(10 * number + 1)"])
        }
        steps.call("waiting", iterator)
        #expect(steps.words() == [])
        steps.promise.finish()
        #expect(steps.words() == ["waiting end"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: ["element", "end", "cancellation"])
    func `a wait is over at once if something has come before it began`(_ event: String) {
        let steps = Steps()
        let gate = InboxGate(.unbounded)
        let wait = Task(executorPreference: steps.executor) {
            await gate.wait()
            steps.heard.add("over")
        }
        switch event {
        case "element": gate.admit(1) { _ in }
        case "end": gate.end(with: .finish)
        default: wait.cancel()
        }
        #expect(steps.words() == ["over"])
        #expect(!gate.isAwaited)
        // So that nobody waits for ever if it failed.
        gate.end(with: .finish)
        steps.executor.run()
    }

    @Test(arguments: BufferingTests.policies)
    func `a buffer that is closed takes nothing in, and counts nothing`(_ policy: StreamBufferingPolicy) {
        let gate = InboxGate(policy)
        var kept = 0
        gate.admit(1) { kept += $0.appended.count }
        gate.close(0) {}
        #expect(kept == 1)
        #expect(gate.dropped == 1)
        // An element may be on its way while the iterator unsubscribes.
        gate.admit(5) { #expect($0.appended.isEmpty && $0.evicted == 0) }
        #expect(gate.dropped == 1)
    }
}

/// The moments between two steps of a wait: tasks run only when the test lets them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class Steps: Sendable {
    let promise = StreamPromise<Int>(capacity: 0)
    let executor = SteppedExecutor()
    let heard = Words()

    /// A call of `next()` that begins with the next step.
    @discardableResult
    func call(_ name: String, _ iterator: SharedResults) -> Task<Void, Never> {
        Task(executorPreference: executor) { [heard] in
            let word = await iterator.word()
            heard.add("\(name) \(word)")
        }
    }

    /// What is heard when all have gone as far as they can.
    func words() -> [String] {
        executor.run()
        return heard.take()
    }
}

/// Runs what tasks are about to do when it is told to.
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

/// What was heard, from any task.
private final class Words: Sendable {
    private let words = Lock<[String]>([])

    func add(_ word: String) { words.withLock { $0.append(word) } }

    func take() -> [String] { words.exchange([]) }
}

/// An iterator that several calls use against the rules, each on a copy.
private final class SharedResults: @unchecked Sendable {
    // Sendable, because the iterator is never written to.
    private let iterator: FutureStreamResults<Int>.Iterator

    init(_ stream: FutureStream<Int>, _ policy: StreamBufferingPolicy = .unbounded) {
        iterator = stream.results(buffering: policy).makeAsyncIterator()
    }

    func word() async -> String {
        var copy = iterator
        return await copy.word()
    }
}
