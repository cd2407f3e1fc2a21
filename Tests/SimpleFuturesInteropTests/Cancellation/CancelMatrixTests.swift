import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// The ways to end a wait from outside.
enum Cause: String, CaseIterable, Sendable {
    case token, task, droppedPromise, deadline

    /// The resulting answer of the waiter.
    var answer: Answer { self == .droppedPromise ? .broken : .cancellation }
}

/// Work that waits for a promise, and can be ended.
final class Work: Sendable {
    private let promise = Lock<Promise<Int>?>(Promise())
    private let clock = ManualContext()
    let token: CancelToken
    let source: Future<Int>
    private let runs = Lock(0)

    init(_ cause: Cause) {
        source = promise.withLock { $0! }.future
        token = cause == .deadline ? CancelToken(after: .seconds(1), context: clock) : CancelToken()
    }

    /// How often the closure ran.
    var runCount: Int { runs.withLock { $0 } }

    /// The body of the asynchronous closures.
    @Sendable func run() async throws -> Int {
        runs.withLock { $0 += 1 }
        return try await source.value
    }

    func succeed() { promise.withLock { $0 }?.success(1) }

    func end(by cause: Cause, _ task: Task<Answer, Never>? = nil) {
        switch cause {
        case .token: token.cancel()
        case .task: task?.cancel()
        case .droppedPromise: _ = promise.withLock { $0.take() }
        case .deadline: clock.advance(by: .seconds(1))
        }
    }
}

/// A call with a handle.
private final class Call: CancellableHandle {
    let cancels = Lock(0)
    func cancel() { cancels.withLock { $0 += 1 } }
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
    var hasTask: Bool {
        switch self {
        case .futureOfClosure, .completeWith, .asyncMap, .asyncFlatMap, .asyncRecover, .asyncForEach, .run,
            .streamAsyncMap, .streamAsyncFlatMap, .streamAsyncRecover, .streamAsyncForEach:
            true
        default: false
        }
    }

    func callAsFunction(_ work: Work) async throws -> Int {
        let token = work.token
        func stream(_ element: Try<Int> = .success(0)) -> FutureStream<Int> {
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
        case .asyncMap:
            return try await Future(value: 0).asyncMap(cancelToken: token) { _ in try await work.run() }.value
        case .asyncFlatMap:
            return try await Future(value: 0).asyncFlatMap(cancelToken: token) { _ in
                Future(value: try await work.run())
            }.value
        case .asyncRecover:
            return try await Future(error: Failure()).asyncRecover(cancelToken: token) { _ in try await work.run() }
                .value
        case .asyncForEach:
            try await Future(value: 0).asyncForEach(cancelToken: token) { _ in _ = try await work.run() }.value
            return 1
        case .streamAsyncMap:
            return try await first(stream().asyncMap(cancelToken: token) { _ in try await work.run() })
        case .streamAsyncFlatMap:
            return try await first(
                stream().asyncFlatMap(cancelToken: token) { _ in Future(value: try await work.run()) })
        case .streamAsyncRecover:
            return try await first(
                stream(.failure(Failure())).asyncRecover(cancelToken: token) { _ in try await work.run() })
        case .streamAsyncForEach:
            let seen = Promise<Int>()
            let elements = stream()
            elements.finish()
            let end = elements.asyncForEach(cancelToken: token) { _ in
                let result: Try<Int>
                do { result = .success(try await work.run()) } catch { result = .failure(error) }
                seen.complete(result)
            }
            // Its closure cannot throw, so its result is reported in another way.
            try await end.value
            return try await seen.future.value
        case .withToken:
            return try await token.run {
                try await withCancelToken { inner in
                    try await work.source.map(context: immediate, cancelToken: inner) { $0 }
                        .value(cancelling: inner)
                }
            }
        case .run: return try await token.run { try await work.run() }
        case .callback:
            let result = Future<Int>()
            let started = SimpleFuturesInterop.callback(
                { (value: Try<Int>.Answer) in result.complete(Try(value)) }, context: immediate
            ) { try await work.run() }
            let link = token.onCancel { started.cancel() }
            defer { link.cancel() }
            return try await result.value
        case .method:
            let call = Call()
            let isCalled = Lock(false)
            let future: Future<Int> = future(cancelToken: token) { block in
                isCalled.exchange(true)
                work.source.onComplete(context: immediate) { block($0.value, $0.error) }
                return call
            }
            let result = await future.outcome
            // The future is canceled first, then the handle.
            if future.isCancelled, isCalled.withLock({ $0 }) { await until { call.cancels.withLock { $0 } > 0 } }
            #expect(call.cancels.withLock { $0 } == (future.isCancelled && isCalled.withLock { $0 } ? 1 : 0))
            return try result.get()
        }
    }
}

extension Try {
    fileprivate typealias Answer = Result<T, any Error>
}

@Suite("Cancellation by the task, the token and the future, at every moment", .watchdog)
struct CancelMatrixTests {
    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `before the start: only the cause counts`(_ waiting: Waiting, _ cause: Cause) async {
        let work = Work(cause)
        if cause != .task { work.end(by: cause) }
        let task = Task {
            if cause == .task { withUnsafeCurrentTask { $0?.cancel() } }
            return await Answer { try await waiting(work) }
        }
        #expect(await task.value == cause.answer)
        // A closure does not run if the token or the caller's task was canceled before. But a task that only waits does
        // not keep work from being done for others.
        if waiting.hasTask, cause == .token || cause == .deadline || cause == .task && waiting == .run {
            #expect(work.runCount == 0)
        }
        await nothingIsLeft(of: work)
    }

    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `while the work runs: the cause ends it`(_ waiting: Waiting, _ cause: Cause) async {
        let work = Work(cause)
        let task = Task { await Answer { try await waiting(work) } }
        await until { work.source.observerCount > 0 }
        work.end(by: cause, task)
        #expect(await task.value == cause.answer)
        await nothingIsLeft(of: work)
    }

    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `racing completion: the value or the cause, exactly one of them`(_ waiting: Waiting, _ cause: Cause)
        async
    {
        for round in 0..<Stress.rounds(20) {
            let work = Work(cause)
            let task = Task { await Answer { try await waiting(work) } }
            await until { work.source.observerCount > 0 }
            async let ended: Void = work.end(by: cause, task)
            if round.isMultiple(of: 2) { await Task.yield() }
            work.succeed()
            await ended
            let answer = await task.value
            if answer != .value(1), answer != cause.answer { Issue.record("\(answer)") }
            await nothingIsLeft(of: work)
        }
    }

    @Test(arguments: Waiting.allCases, Cause.allCases)
    func `after completion: the value counts`(_ waiting: Waiting, _ cause: Cause) async {
        let work = Work(cause)
        let task = Task { await Answer { try await waiting(work) } }
        await until { work.source.observerCount > 0 }
        work.succeed()
        #expect(await task.value == .value(1))
        await nothingIsLeft(of: work)
        work.end(by: cause, task)
        #expect(await task.value == .value(1))
    }

    /// Work left by a canceled wait ends with its promise; then nothing is registered any more.
    private func nothingIsLeft(of work: Work) async {
        work.succeed()
        // A token releases a task through another task of low priority, which would never run beside a task that only
        // yields.
        while work.source.observerCount > 0 || work.token.registrationCount > 0 {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
