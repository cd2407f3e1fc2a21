import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures of an actor run on it, callbacks in order", .watchdog)
struct IsolatedTests {
    @Test(arguments: [Source.Ending.success, .failure, .cancellation], [true, false])
    func `callbacks of a future`(_ ending: Source.Ending, isBefore: Bool) async {
        let (log, source) = (Log(), Source())
        if isBefore { source.end(ending) }
        await log.listen(to: source.future, times: 100)
        if !isBefore { source.end(ending) }
        let kinds =
            switch ending {
            case .success: ["success", "completion"]
            case .failure: ["failure", "completion"]
            case .cancellation, .breach: ["cancellation"]
            }
        let expected = (0..<100).flatMap { number in kinds.map { "\($0) \(number)" } }
        await until { await log.words.count == expected.count }
        #expect(await log.words == expected)
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

    @Test @MainActor func `callbacks can be methods, and run after the call, in order with others on main`() async {
        let (future, model, done) = (Future(value: 1), Model(), AsyncGate())
        future.onSuccess(isolated: model.show)
        future.onSuccess(context: QueueContext.main) { _ in MainActor.assumeIsolated { model.log.append("second") } }
        future.onSuccess(isolated: { [weak model] _ in model?.log.append("third") })
        future.onComplete(context: QueueContext.main) { _ in
            MainActor.assumeIsolated { model.log.append("fourth") }
            done.open()
        }
        #expect(model.log.isEmpty)
        await done.pass()
        #expect(model.log == ["success 1", "second", "third", "fourth"])
    }

    @Test func `a token cancels callbacks`() async {
        let (log, token, future, stream) = (Log(), CancelToken(), Future<Int>(), FutureStream<Int>())
        await log.listen(to: future, stream, under: token)
        #expect(token.registrationCount == 6)
        token.cancel()
        future.success(1)
        stream.success(1)
        stream.finish()
        #expect(await log.words.isEmpty)
    }

    @Test func `without an actor callbacks run on the default context`() async {
        let done = Future<Bool>()
        Future(value: 1).onSuccess(isolated: { _ in done.success(MainQueue.isCurrent) })
        #expect(await done.outcome.value == true)
    }

    /// Why a closure does not run, or no longer.
    enum Loss: CaseIterable {
        case failure, canceledToken, end, release

        func happens(to promise: Promise<Int>, _ stream: FutureStream<Int>, _ token: CancelToken) {
            switch self {
            case .failure: promise.failure(Failure())
            case .canceledToken: token.cancel()
            case .end: stream.finish()
            case .release: break
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `captures are released on the actor, also if the closure does not run`(_ loss: Loss) async {
        let (host, onMain, onHost) = (Host(), Future<Bool>(), Future<Void>())
        var parts: (Promise<Int>, FutureStream<Int>)? = (Promise(), FutureStream(capacity: 0))
        let token = CancelToken()
        await MainActor.run { [parts] in
            let object = Resident { onMain.success(MainQueue.isCurrent) }
            if loss == .end {
                parts?.1.onSuccess(cancelToken: token, isolated: { _ in object.use() })
            } else {
                parts?.0.future.onSuccess(cancelToken: token, isolated: { _ in object.use() })
            }
        }
        await host.listen(to: parts!, token, isStream: loss == .end) {
            host.assertIsolated()
            onHost.success()
        }
        await onThread { [parts] in loss.happens(to: parts!.0, parts!.1, token) }
        parts = nil
        #expect(await onMain.outcome.value == true)
        #expect(await onHost.outcome.value != nil)
    }

    @Test @MainActor func `callbacks are released after they have run or when they can no longer run`() async {
        let (promise, stream, token, alive) = (Promise<Int>(), FutureStream<Int>(), CancelToken(), Tally())
        do {
            let captive = Captive(alive)
            promise.future.onSuccess(isolated: { _ in captive.touch() })
            promise.future.onFailure(isolated: { _ in captive.touch() })
            promise.future.onComplete(cancelToken: token, isolated: { _ in captive.touch() })
            stream.onSuccess(cancelToken: token, isolated: { _ in captive.touch() })
            stream.onFinish(cancelToken: token, isolated: { captive.touch() })
        }
        token.cancel()
        #expect(alive.count == 1)
        promise.success(1)
        await until { alive.count == 0 }
    }

    @Test func `closures of futures, promises and combinators begin on their actor, in order unless they wait`() async {
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

    @Test func `a callback keeps its actor until it has run`() async {
        let promise = Promise<Int>()
        weak var actor: Host?
        let done = Promise<Void>()
        do {
            let new = Host()
            actor = new
            promise.future.onSuccess(context: ActorContext(new)) { _ in done.success() }
        }
        #expect(actor != nil)
        promise.success(1)
        _ = await done.future.outcome
        await until { actor == nil }
    }
}

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

    func listen(to future: Future<Int>, _ stream: FutureStream<Int>, under token: CancelToken) {
        future.onSuccess(cancelToken: token, isolated: { _ in self.note("success") })
        future.onFailure(cancelToken: token, isolated: { _ in self.note("failure") })
        future.onComplete(cancelToken: token, isolated: { _ in self.note("completion") })
        stream.onSuccess(cancelToken: token, isolated: { _ in self.note("value") })
        stream.onComplete(cancelToken: token, isolated: { _ in self.note("element") })
        stream.onFinish(cancelToken: token, isolated: { self.note("finish") })
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

private actor Host {
    func listen(
        to parts: (Promise<Int>, FutureStream<Int>), _ token: CancelToken, isStream: Bool,
        released: @escaping @Sendable () -> Void
    ) {
        let object = Resident(released)
        if isStream {
            parts.1.onSuccess(cancelToken: token, isolated: { _ in self.use(object) })
        } else {
            parts.0.future.onSuccess(cancelToken: token, isolated: { _ in self.use(object) })
        }
    }

    private func use(_ object: Resident) { object.use() }
}

/// An object that belongs to an actor.
private final class Resident {
    private let released: () -> Void

    init(_ released: @escaping () -> Void) { self.released = released }

    deinit { released() }

    func use() {}
}

@MainActor private final class Model {
    var log: [String] = []

    func show(_ value: Int) { log.append("success \(value)") }
}
