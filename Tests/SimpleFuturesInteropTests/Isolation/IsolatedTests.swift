import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures of an actor run there, callbacks in order", .watchdog)
struct IsolatedTests {
    @Test func `callbacks of a future`() async {
        for isBefore in [true, false] {
            let (log, promise) = (Log(), Promise<Int>())
            if isBefore { promise.success(1) }
            await log.listen(to: promise.future, times: 100)
            if !isBefore { promise.success(1) }
            await until { await log.words.count == 200 }
            #expect(await log.words == (0..<100).flatMap { ["success \($0)", "completion \($0)"] })
        }
    }

    @Test func `callbacks of a failure and of a cancellation`() async {
        let (log, failing, source) = (Log(), Promise<Int>(), Source())
        await log.listen(to: failing.future, times: 1)
        await log.listen(to: source.future, times: 1)
        failing.failure(Failure())
        await until { await log.words.count == 2 }
        #expect(await log.words == ["failure 0", "completion 0"])
        source.end(.cancelled)
        await until { await log.words.count == 3 }
        #expect(await log.words.last == "cancellation 0")
    }

    @Test func `callbacks of a stream, element by element`() async {
        let (log, promise) = (Log(), StreamPromise<Int>(capacity: 0))
        await log.listen(to: promise.stream)
        for number in 0..<300 { if number % 3 == 2 { promise.failure(Failure()) } else { promise.success(number) } }
        promise.finish()
        await until { await log.words.last == "finish" }
        let expected = (0..<300).flatMap { number in
            number % 3 == 2 ? ["completion", "failure"] : ["completion", "success \(number)"]
        }
        #expect(await log.words == expected + ["finish"])
    }

    @Test func `bodies of tasks, those behind futures and those behind combinators`() async {
        let (log, source, elements) = (Log(), Promise<Int>(), StreamPromise<Int>(capacity: 0))
        let ends = await log.start(from: source.future, elements.stream)
        source.success(1)
        for number in 0..<100 { elements.success(number) }
        elements.finish()
        for end in ends { _ = await end.outcome }
        let words = await log.words
        for kind in ["future", "promise", "map", "recovered", "element"] {
            let ofKind = words.filter { $0.hasPrefix(kind) }
            let inOrder = (0..<100).map { "\(kind) \($0)" }
            // An actor takes up tasks that have waited in any order, even those of one thread that resumes them in turn.
            let hasWaited = ["map", "recovered"].contains(kind)
            #expect(hasWaited ? ofKind.sorted() == inOrder.sorted() : ofKind == inOrder)
        }
    }

    @Test func `what is started on an actor does not let what is started later overtake it`() async {
        for _ in 0..<Stress.rounds(50) {
            let log = Log()
            for end in await log.startInTurn() { _ = await end.outcome }
            #expect(await log.words == (0..<5).map { "turn \($0)" })
        }
    }

    @Test func `the context of an actor runs what it is given there`() async {
        let log = Log()
        let context = ActorContext(log)
        let done = Promise<Void>()
        for number in 0..<100 { context.execute { log.assumeIsolated { $0.note("task \(number)") } } }
        context.execute { done.success() }
        _ = await done.future.outcome
        #expect(await log.words == (0..<100).map { "task \($0)" })
    }

    @Test func `executors of an actor and of a queue run tasks there`() async {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let log = Log()
        let value = await Task(executorPreference: ActorContext(log).taskExecutor) {
            for number in 0..<10 {
                await log.noteLater("task \(number)")
                await Task.yield()
            }
            return 1
        }.value
        #expect(value == 1)
        #expect(await log.words == (0..<10).map { "task \($0)" })
        #expect(await Task(executorPreference: QueueContext.global.taskExecutor) { 2 }.value == 2)
    }

    @Test func `a task on the executor of an actor waits for its turn`() async {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let runs = Tally()
        let task = await Log().startAndStayBusy(runs)
        await task.value
        #expect(runs.count == 1)
    }

    @Test func `a context carries the task-local values of the one who made it`() async {
        let (seen, promise) = (Promise<Int>(), Promise<Int>())
        Trace.$id.withValue(7) {
            promise.future.onSuccess(context: TaskLocalContext(QueueContext.global, carrying: Trace.$id)) { _ in
                seen.success(Trace.id)
            }
        }
        Trace.$id.withValue(8) { promise.success(1) }
        #expect(await seen.future.outcome.value == 7)
    }
}

/// Lets others run until something is the case.
private func until(_ isSo: () async -> Bool) async { while await !isSo() { await Task.yield() } }

private enum Trace {
    @TaskLocal static var id = 0
}

/// An actor that writes down what happens, and fails where it is not its turn.
private actor Log {
    private(set) var words: [String] = []

    func note(_ word: String) {
        preconditionIsolated()
        words.append(word)
    }

    func startInTurn() -> [Future<Void>] {
        let (promise, done) = (Promise<Void>(), Future(value: ()))
        let first = done.asyncMap { _ in self.note("turn 0") }
        promise.completeWith { self.note("turn 1") }
        let third = done.asyncForEach { _ in self.note("turn 2") }
        let fourth = Future { self.note("turn 3") }
        let last = Task { self.note("turn 4") }.future
        return [first, promise.future, third, fourth, last.mapError(context: ImmediateContext()) { $0 }]
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func startAndStayBusy(_ runs: Tally) -> Task<Void, Never> {
        let task = Task.detached(executorPreference: ActorContext(self).taskExecutor) { runs.add() }
        for _ in 0..<1_000 { sched_yield() }
        #expect(runs.count == 0)
        return task
    }

    func noteLater(_ word: String) async { note(word) }

    func listen(to future: Future<Int>, times: Int) {
        for number in 0..<times {
            future.onSuccess(isolated: { _ in self.note("success \(number)") })
            future.onFailure(isolated: { _ in self.note("failure \(number)") })
            future.onComplete(isolated: { _ in self.note("completion \(number)") })
            future.onCancel(isolated: { self.note("cancellation \(number)") })
        }
    }

    func listen(to stream: FutureStream<Int>) {
        stream.onComplete(isolated: { _ in self.note("completion") })
        stream.onSuccess(isolated: { self.note("success \($0)") })
        stream.onFailure(isolated: { _ in self.note("failure") })
        stream.onFinish(isolated: { self.note("finish") })
    }

    func start(from source: Future<Int>, _ elements: FutureStream<Int>) -> [Future<Void>] {
        var ends: [Future<Void>] = []
        for number in 0..<100 {
            ends.append(Future { self.note("future \(number)") })
            let promise = Promise<Void>()
            promise.completeWith { self.note("promise \(number)") }
            ends.append(promise.future)
            ends.append(source.asyncMap { _ in self.note("map \(number)") })
            ends.append(
                source.map(context: ImmediateContext()) { _ in throw Failure() }
                    .asyncRecover { _ in self.note("recovered \(number)") })
        }
        ends.append(elements.asyncForEach { self.note("element \($0)") })
        return ends
    }
}
