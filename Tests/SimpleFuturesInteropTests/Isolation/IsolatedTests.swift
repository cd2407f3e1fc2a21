import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures of an actor run on it, callbacks in order", .watchdog)
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

    @Test func `callbacks of a failure and a cancellation`() async {
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

    @Test @MainActor func `callbacks on the main actor can be methods and use its state`() async {
        let model = Model()
        Future(value: 1).onSuccess(isolated: model.show)
        Future<Int>(error: Failure()).onFailure(isolated: { [weak model] _ in model?.log.append("failure") })
        await until { model.log.count == 2 }
        #expect(model.log == ["success 1", "failure"])
    }

    @Test @MainActor func `callbacks run after the call has returned, in order with others of the main queue`()
        async
    {
        let future = Future(value: 1)
        var order: [Int] = []
        let done = AsyncGate()
        future.onSuccess(isolated: { _ in order.append(1) })
        future.onSuccess(context: QueueContext.main) { _ in MainActor.assumeIsolated { order.append(2) } }
        future.onSuccess(isolated: { _ in order.append(3) })
        future.onComplete(context: QueueContext.main) { _ in
            MainActor.assumeIsolated { order.append(4) }
            done.open()
        }
        #expect(order.isEmpty)
        await done.pass()
        #expect(order == [1, 2, 3, 4])
    }

    @Test func `a token cancels callbacks`() async {
        let store = Store()
        let token = CancelToken()
        let future = Future<Int>()
        let stream = FutureStream<Int>()
        await store.never(future, stream, token)
        #expect(token.registrationCount == 6)
        token.cancel()
        future.success(1)
        stream.success(1)
        stream.finish()
        await store.turn()
    }

    @Test func `without an actor callbacks run on the default context`() async {
        let done = Future<Bool>()
        Future(value: 1).onSuccess(isolated: { _ in done.success(MainQueue.isCurrent) })
        #expect(await done.outcome.value != nil)
    }

    @Test @MainActor func `the end of a stream: finished or canceled`() async {
        var log: [String] = []
        let stream = FutureStream<Int>()
        let token = CancelToken()
        let derived = stream.map(context: immediate, cancelToken: token) { $0 }
        derived.onFinish(isolated: { log.append("derived finished") })
        derived.onCancel(isolated: { log.append("derived cancelled") })
        stream.onCancel(isolated: { log.append("cancelled") })
        stream.onFinish(isolated: { log.append("finished") })
        token.cancel()
        stream.finish()
        await until { log.count == 2 }
        #expect(log == ["derived cancelled", "finished"])
    }

    @Test @MainActor func `closures that transform a result can use the actor's state and throw`() async throws {
        var calls = 0
        let (promise, stream) = (Promise<Int>(), StreamPromise<Int>(capacity: 0))
        let mapped = promise.future.map(isolated: { value in
            calls += 1
            return "\(value)"
        })
        let flattened = promise.future.flatMap(isolated: { value in
            calls += 1
            return Future(value: value + 1)
        })
        let thrown: Future<Int> = promise.future.map(isolated: { _ in
            calls += 1
            throw Oops.thrown
        })
        let recovered = thrown.recover(isolated: { error in
            calls += 1
            return error as? Oops == .thrown ? 3 : 4
        })
        let elements = stream.stream
            .map(isolated: { value in
                calls += 1
                return value * 2
            })
            .flatMap(isolated: { value in
                calls += 1
                return Future(value: value + 1)
            })
            .subscription()
        promise.success(1)
        for value in 1...3 { stream.success(value) }
        stream.finish()
        #expect(try await mapped.value == "1")
        #expect(try await flattened.value == 2)
        #expect(try await recovered.value == 3)
        var all: [Int] = []
        for try await element in elements { all.append(element) }
        #expect(all == [3, 5, 7] && calls == 10)
    }

    @Test @MainActor func `callbacks are released after they have run or when they can no longer run`() async {
        let (promise, token, alive) = (Promise<Int>(), CancelToken(), Tally())
        do {
            let captive = Captive(alive)
            promise.future.onSuccess(isolated: { _ in captive.touch() })
            promise.future.onFailure(isolated: { _ in captive.touch() })
            promise.future.onComplete(cancelToken: token, isolated: { _ in captive.touch() })
        }
        token.cancel()
        #expect(alive.count == 1)
        promise.success(1)
        await until { alive.count == 0 }
    }

    @Test func `closures of futures, promises and combinators`() async {
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
            // An actor resumes waiting tasks in any order, even tasks that one thread has resumed in order.
            let hasWaited = ["map", "recovered"].contains(kind)
            #expect(hasWaited ? ofKind.sorted() == inOrder.sorted() : ofKind == inOrder)
        }
    }

    @Test func `closures started on an actor do not overtake each other`() async {
        for _ in 0..<Stress.rounds(50) {
            let log = Log()
            for end in await log.startInTurn() { _ = await end.outcome }
            #expect(await log.words == (0..<5).map { "turn \($0)" })
        }
    }

    // MARK: Actors that use themselves

    @Test func `an actor can complete the future that it awaits`() async throws {
        let actor = Reentrant()
        async let value = actor.wait()
        while await actor.waiters == 0 { await Task.yield() }
        await actor.complete()
        #expect(try await value == 1)
        #expect(await actor.log == ["waits", "completes", "has completed", "has 1"])
    }

    @Test func `an actor can await a future that its own callback completes`() async throws {
        let actor = Reentrant()
        #expect(try await actor.waitForOwnCallback() == 2)
        #expect(await actor.log == ["after success", "callback"])
    }

    @Test func `a callback of an actor can emit into the stream that calls it`() async {
        #expect(await Reentrant().count(to: 100) == Array(1...100))
    }

    @Test func `a callback keeps its actor until it has run`() async {
        let promise = Promise<Int>()
        weak var actor: Reentrant?
        let done = Promise<Void>()
        do {
            let new = Reentrant()
            actor = new
            promise.future.onSuccess(context: ActorContext(new)) { _ in done.success() }
        }
        #expect(actor != nil)
        promise.success(1)
        _ = await done.future.outcome
        await until { actor == nil }
    }
}

/// Lets other tasks run until a condition is true.
private func until(_ isSo: () async -> Bool) async { while await !isSo() { await Task.yield() } }

/// An actor that records events, and fails in code that runs off the actor.
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
        return [first, promise.future, third, fourth, last.mapError(context: immediate) { $0 }]
    }

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
                source.map(context: immediate) { _ in throw Failure() }
                    .asyncRecover { _ in self.note("recovered \(number)") })
        }
        ends.append(elements.asyncForEach { self.note("element \($0)") })
        return ends
    }
}

/// An actor that waits for its own work, and whose callbacks run on it.
private actor Reentrant {
    private let promise = Promise<Int>()
    private(set) var log: [String] = []

    /// Waits on the actor.
    ///
    /// In the meantime the actor is free to complete the future.
    func wait() async throws -> Int {
        log.append("waits")
        let value = try await promise.future.value
        log.append("has \(value)")
        return value
    }

    func complete() {
        log.append("completes")
        promise.success(1)
        log.append("has completed")
    }

    /// Awaits, on the actor, a future that a callback on the actor completes.
    func waitForOwnCallback() async throws -> Int {
        let done = Promise<Int>()
        promise.future.onSuccess(isolated: { value in
            self.log.append("callback")
            done.success(value + 1)
        })
        promise.success(1)
        log.append("after success")
        return try await done.future.value
    }

    /// Emits, in a callback on the actor, into the stream that calls it.
    func count(to end: Int) async -> [Int] {
        let stream = FutureStream<Int>(capacity: 0)
        let seen = Box<[Int]>([])
        let results = stream.subscription().results
        stream.onSuccess(isolated: { value in
            seen.append(value)
            if value < end { stream.success(value + 1) } else { stream.finish() }
        })
        stream.success(1)
        for await _ in results {}
        return seen.value
    }

    var waiters: Int { promise.future.observerCount }
}

@MainActor private final class Model {
    var log: [String] = []

    func show(_ value: Int) { log.append("success \(value)") }
}

private actor Store {
    func never(_ future: Future<Int>, _ stream: FutureStream<Int>, _ token: CancelToken) {
        future.onSuccess(cancelToken: token, isolated: { _ in Issue.record("runs") })
        future.onFailure(cancelToken: token, isolated: { _ in Issue.record("runs") })
        future.onComplete(cancelToken: token, isolated: { _ in Issue.record("runs") })
        stream.onSuccess(cancelToken: token, isolated: { _ in Issue.record("runs") })
        stream.onComplete(cancelToken: token, isolated: { _ in Issue.record("runs") })
        stream.onFinish(cancelToken: token, isolated: { Issue.record("runs") })
    }

    func turn() {}
}
