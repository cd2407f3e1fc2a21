import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Cancellation by the task, the token and the future, at every moment", .watchdog)
struct CancelMatrixTests {
    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `before the start: only the cause counts`(_ waiting: Waiting, _ cause: Cause) async {
        let work = Work()
        if cause != .task { work.end(by: cause) }
        let task = Task {
            if cause == .task { withUnsafeCurrentTask { $0?.cancel() } }
            return await Answer { try await waiting(work) }
        }
        #expect(await task.value == cause.answer)
        // A closure does not run if the token or the caller's task was canceled before. But a task that only waits does
        // not keep work from being done for others.
        if waiting.hasTask, cause == .token || cause == .task && waiting == .run { #expect(work.runCount == 0) }
        await nothingIsLeft(of: work)
    }

    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `while the work runs the cause ends it, then the value counts`(_ waiting: Waiting, _ cause: Cause) async {
        for isCompleted in [false, true] {
            let work = Work()
            let task = Task { await Answer { try await waiting(work) } }
            await until { work.source.observerCount > 0 }
            if isCompleted {
                work.succeed()
                #expect(await task.value == .success(1))
                await nothingIsLeft(of: work)
            }
            work.end(by: cause, task)
            #expect(await task.value == (isCompleted ? .success(1) : cause.answer))
            await nothingIsLeft(of: work)
            guard !isCompleted, cause == .token, waiting.hasTask else { continue }
            await until { work.endCount == work.runCount }
            #expect(work.sawCancellation)
        }
    }

    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `racing completion: the value or the cause, exactly one of them`(_ waiting: Waiting, _ cause: Cause) async {
        for round in 0..<Stress.rounds(20) {
            let work = Work()
            let task = Task { await Answer { try await waiting(work) } }
            await until { work.source.observerCount > 0 }
            async let ended: Void = work.end(by: cause, task)
            if round.isMultiple(of: 2) { await Task.yield() }
            work.succeed()
            await ended
            let answer = await task.value
            if answer != .success(1), answer != cause.answer { Issue.record("\(answer)") }
            await nothingIsLeft(of: work)
        }
    }

    /// Work left by a canceled wait ends with its promise; then nothing is registered any more.
    private func nothingIsLeft(of work: Work) async {
        work.succeed()
        // A token releases a task through another task of low priority.
        await until { work.source.observerCount == 0 && work.token.registrationCount == 0 }
    }
}

/// The ways to end a wait from outside.
enum Cause: String, CaseIterable, Sendable {
    case token, task, droppedPromise

    var answer: Answer { self == .droppedPromise ? .broken : .cancelled }
}

/// Work that waits for a promise, and can be ended.
final class Work: Sendable {
    let token: CancelToken
    let source: Future<Int>
    private let promise = Box<Promise<Int>?>(Promise())
    private let (runs, ends, cancelledEnds) = (Tally(), Tally(), Tally())
    /// Released with the work, and so with the closures that do it.
    private let captive: Captive?

    init(under token: CancelToken = CancelToken(), _ captive: Captive? = nil) {
        self.token = token
        self.captive = captive
        source = promise.value!.future
    }

    var runCount: Int { runs.count }
    var endCount: Int { ends.count }
    /// Whether the closure's task was canceled at the end.
    var sawCancellation: Bool { cancelledEnds.count > 0 }

    @Sendable func run() async throws -> Int {
        runs.add()
        let result = await source.outcome
        if Task.isCancelled { cancelledEnds.add() }
        ends.add()
        return try result.get()
    }

    func succeed() { promise.value?.success(1) }

    func fail() { promise.value?.failure(Failure()) }

    func end(by cause: Cause, _ task: Task<Answer, Never>? = nil) {
        switch cause {
        case .token: token.cancel()
        case .task: task?.cancel()
        case .droppedPromise: _ = promise.change { $0.take() }
        }
    }
}

/// Every function of the bridge that runs work, used as an await of the work.
///
/// `AwaitTests` covers the plain awaits.
enum Waiting: String, CaseIterable, Sendable {
    case futureOfClosure, completeWith, taskFuture
    case asyncMap, asyncFlatMap, asyncRecover, asyncForEach
    case streamAsyncMap, streamAsyncFlatMap, streamAsyncRecover, streamAsyncForEach
    case withToken, run, callback, method

    /// Whether a task of the library runs a user's closure and can be prevented from starting it.
    ///
    /// The closure of a callback can be canceled only after it has begun.
    var hasTask: Bool { ![.taskFuture, .withToken, .callback, .method].contains(self) }

    func callAsFunction(_ work: Work) async throws -> Int {
        let (token, done) = (work.token, Future(value: 0))
        func elements(_ element: Try<Int> = .success(0)) -> FutureStream<Int> {
            let stream = FutureStream<Int>()
            stream.complete(element)
            return stream
        }
        func first(_ stream: FutureStream<Int>) async throws -> Int {
            for try await value in stream.values { return value }
            throw FuturesError.noSuchElement
        }
        switch self {
        case .futureOfClosure: return try await Future(cancelToken: token) { try await work.run() }.value
        case .completeWith:
            let promise = Promise<Int>()
            promise.completeWith(cancelToken: token) { try await work.run() }
            return try await promise.future.value
        case .taskFuture:
            let task = Task { try await work.run() }
            token.link(task)
            return try await task.future.value
        case .asyncMap: return try await done.asyncMap(cancelToken: token) { _ in try await work.run() }.value
        case .asyncFlatMap:
            return try await done.asyncFlatMap(cancelToken: token) { _ in Future(value: try await work.run()) }.value
        case .asyncRecover:
            let failed = Future<Int>(error: Failure())
            return try await failed.asyncRecover(cancelToken: token) { _ in try await work.run() }.value
        case .asyncForEach:
            try await done.asyncForEach(cancelToken: token) { _ in _ = try await work.run() }.value
            return 1
        case .streamAsyncMap:
            return try await first(elements().asyncMap(cancelToken: token) { _ in try await work.run() })
        case .streamAsyncFlatMap:
            return try await first(
                elements().asyncFlatMap(cancelToken: token) { _ in Future(value: try await work.run()) })
        case .streamAsyncRecover:
            return try await first(
                elements(.failure(Failure())).asyncRecover(cancelToken: token) { _ in try await work.run() })
        case .streamAsyncForEach:
            // Its closure cannot throw, so its result is reported in another way.
            let (stream, seen) = (elements(), Promise<Int>())
            stream.finish()
            try await stream.asyncForEach(cancelToken: token) { _ in
                do { seen.success(try await work.run()) } catch { seen.failure(error) }
            }.value
            return try await seen.future.value
        case .withToken:
            return try await token.run {
                try await withCancelToken { inner in
                    try await work.source.map(context: immediate, cancelToken: inner) { $0 }.value(cancelling: inner)
                }
            }
        case .run: return try await token.run { try await work.run() }
        case .callback:
            let result = Future<Int>()
            let started = SimpleFuturesInterop.callback(
                { (value: Result<Int, any Error>) in result.complete(Try(value)) }, context: immediate
            ) { try await work.run() }
            let link = token.onCancel { started.cancel() }
            defer { link.cancel() }
            return try await result.value
        case .method:
            let (calls, cancels) = (Tally(), Tally())
            let future: Future<Int> = future(cancelToken: token) { block in
                calls.add()
                work.source.onComplete(context: immediate) { block($0.value, $0.error) }
                return CancelAction { cancels.add() }
            }
            let result = await future.outcome
            // The future is canceled first, then the handle.
            if future.isCancelled { await until { cancels.count == calls.count } }
            #expect(cancels.count == (future.isCancelled ? calls.count : 0))
            return try result.get()
        }
    }
}
