import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 5, streams: no user code runs under a lock, so every call may be made from every callback", .watchdog)
struct StreamsNoUserCodeUnderALockTests {
    @Test(arguments: StreamSite.allCases, StreamCall.allCases)
    func `a call inside a callback neither traps nor deadlocks`(_ site: StreamSite, _ call: StreamCall) {
        let calls = Box(0)
        let isOver = returns {
            let arena = StreamArena()
            site.reach(arena) {
                if calls.value == 0 {
                    calls.increment()
                    call.make(on: arena)
                }
            }
            arena.clear()
        }
        #expect(isOver)
        #expect(calls.value == 1)
    }

    @Test(arguments: [true, false])
    func `what is under a token runs no more once the token is cancelled, detached or not yet`(_ isFinish: Bool) {
        // As after `task.cancel()`: the token is cancelled, and Dispatch has not got round to the rest.
        let token = CancelToken()
        let source = FutureStream<Int>()
        let runs = Box(0)
        source.onSuccess(context: immediate, cancelToken: token) { _ in runs.increment() }
        source.onFinish(context: immediate, cancelToken: token) { runs.increment() }
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let flattened = source.flatMap(context: immediate, cancelToken: token) { Future(value: $0) }
        let logs = [derived.heard(), flattened.heard()]
        let later = Box<(@Sendable () -> Void)?>(nil)
        token.cancel { later.value = $0 }
        source.success(1)
        if isFinish { source.finish() }
        later.value?()
        if !isFinish { source.success(2) }
        #expect(runs.value == 0)
        #expect(logs.map { $0.all } == [[.cancel], [.cancel]])
        #expect(derived.isCancelled && flattened.isCancelled)
    }

    @Test(.watchdog)
    func `a stream that another thread releases does not end under the lock of a token`() async {
        await #expect(processExitsWith: .success) {
            let token = CancelToken()
            race(rounds: Stress.rounds(1_000)) {
                let bares = (0..<8).map { _ in Box<FutureStream<Int>?>(FutureStream()) }
                for bare in bares {
                    bare.value?.onComplete(context: ImmediateContext(), cancelToken: token) { _ in }
                }
                let busy = FutureStream<Int>()
                for _ in 0..<20 { busy.onComplete(context: ImmediateContext()) { _ in } }
                return (busy: busy, bares: bares)
            } _: { arena in
                for _ in 0..<8 { arena.busy.cancel(token) }
            } _: { arena in
                for bare in arena.bares { bare.value = nil }
            } check: { _ in
                precondition(token.registrationCount == 0)
            }
        }
    }
}

/// The public calls on streams that a test makes from inside callbacks.
enum StreamCall: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case success, failure, complete, finish, emitOther, finishOther
    case onComplete, onSuccess, onFailure, onFinish, onCancel, onManual, onQueue, underToken
    case cancelToken, cancelOnStream, futures, description
    case derive, flatMap, recoverWith, merge, zip, take, debounce
    case completeWithStream, completeWithFuture, completeWithItself, future, crossing
    case dropPromise, dropBare, wrapBlock, wait, runManual

    var testDescription: String { rawValue }

    func make(on arena: StreamArena) {
        let here = ImmediateContext()
        let stream = arena.stream
        switch self {
        case .success: stream.success(7)
        case .failure: stream.failure(Failure())
        case .complete: stream.complete(.success(8))
        case .finish: stream.finish()
        case .emitOther: arena.other.success(1)
        case .finishOther: arena.other.finish()
        case .onComplete: stream.onComplete(context: here) { _ in }
        case .onSuccess: stream.onSuccess(context: here, cancelToken: arena.token) { _ in }
        case .onFailure: stream.onFailure(context: here) { _ in }
        case .onFinish: stream.onFinish(context: here) {}
        case .onCancel: stream.onCancel(context: here) {}
        case .onManual: stream.onSuccess(context: arena.manual) { _ in }
        case .onQueue: stream.onSuccess(context: DispatchQueue.global()) { _ in }
        case .underToken: _ = stream.map(context: here, cancelToken: arena.token) { $0 }
        case .cancelToken: arena.token.cancel()
        case .cancelOnStream: stream.cancel(arena.token)
        case .futures: _ = (stream.futures, stream.count, stream.isFinished, stream.isCancelled)
        case .description: _ = stream.debugDescription
        case .derive:
            for combinator in StreamCombinator.all {
                _ = combinator.apply(to: stream, clock: arena.manual)
            }
        case .flatMap: _ = stream.flatMap(context: here) { _ in arena.other }
        case .recoverWith: _ = stream.recoverWith(context: here) { _ in arena.other }
        case .merge: _ = stream.merge(arena.other, cancelToken: arena.token)
        case .zip: _ = stream.zip(arena.other, cancelToken: arena.token)
        case .take: _ = stream.take(1)
        case .debounce: _ = stream.debounce(.seconds(1), context: arena.manual, cancelToken: arena.token)
        case .completeWithStream: arena.other.completeWith(stream: stream)
        case .completeWithFuture: stream.completeWith(future: Future(value: 1))
        case .completeWithItself: stream.completeWith(stream: stream)
        case .future: Future<Int>().completeWith(stream: stream)
        case .crossing: _ = Future(value: 1).flatMap(context: here) { _ in stream }
        case .dropPromise: arena.promise.value = nil
        case .dropBare: FutureStream(value: 1).onFinish(context: here) {}
        case .wrapBlock: _ = futureStream(method: { (block: @Sendable (Int) -> Void) in block(3) })
        case .wait:
            let last = Future<Int>()
            last.completeWith(stream: arena.other)
            arena.other.success(1)
            _ = try? last.wait(timeout: .zero)
        case .runManual: arena.manual.run()
        }
    }
}

/// What the calls are made on.
final class StreamArena: Sendable {
    let promise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 2))
    let stream: FutureStream<Int>
    let other = FutureStream<Int>(capacity: 2)
    let token = CancelToken()
    let manual = ManualContext()

    init() {
        stream = promise.value!.stream
        stream.onComplete(context: immediate, cancelToken: token) { _ in }
        stream.onComplete(context: manual, cancelToken: token) { _ in }
    }

    /// Ends everything, since callbacks that never run would keep the arena alive.
    func clear() {
        token.cancel()
        promise.value = nil
        if !stream.isFinished { stream.finish() }
        other.finish()
        manual.advance(by: .seconds(10))
    }
}

/// Where code of the user's runs.
enum StreamSite: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case onComplete, onSuccess, onFailure, onFinish, onCancel, onReplay, onManual, onInline
    case map, filter, scan, distinct, flatMap, recover, recoverWith, mapError, zipped, timed
    case tokenHandler, contextExecute, resolver, method, futureClosure
    case deinitOfElement, deinitOfError, deinitOfHistory, deinitOfDetached, deinitOfFinished, deinitOfDroppedTask
    case deinitOfWaitingElement, deinitOfReleased, diagnostics

    var testDescription: String { rawValue }

    func reach(_ arena: StreamArena, _ body: @escaping @Sendable () -> Void) {
        let here = ImmediateContext()
        let stream = arena.stream
        switch self {
        case .onComplete:
            stream.onComplete(context: here) { _ in body() }
            stream.success(1)
        case .onSuccess:
            stream.onSuccess(context: here, cancelToken: arena.token) { _ in body() }
            stream.success(1)
        case .onFailure:
            stream.onFailure(context: here) { _ in body() }
            stream.failure(Failure())
        case .onFinish:
            stream.onFinish(context: here) { body() }
            stream.finish()
        case .onCancel:
            stream.map(context: here, cancelToken: arena.token) { $0 }.onCancel(context: here) { body() }
            arena.token.cancel()
        case .onReplay:
            stream.success(1)
            stream.onSuccess(context: here) { _ in body() }
        case .onManual:
            stream.onSuccess(context: arena.manual) { _ in body() }
            stream.success(1)
            arena.manual.run()
        case .onInline:
            stream.onSuccess(context: InlineContext()) { _ in body() }
            stream.success(1)
        case .map, .filter, .scan, .distinct:
            let derived =
                switch self {
                case .map: stream.map(context: here) { Self.run(body, $0) }
                case .filter: stream.filter(context: here) { Self.run(body, $0) > 0 }
                case .scan: stream.scan(0, context: here) { Self.run(body, $0 + $1) }
                default: stream.distinct(context: here) { Self.run(body, $0) == $1 }
                }
            stream.success(1)
            stream.success(2)
            withExtendedLifetime(derived) {}
        case .flatMap:
            _ = stream.flatMap(context: here, cancelToken: arena.token) { _ in
                body()
                return arena.other
            }
            stream.success(1)
        case .recover, .recoverWith, .mapError:
            let derived =
                switch self {
                case .recover: stream.recover(context: here) { _ in Self.run(body, 1) }
                case .recoverWith: stream.recoverWith(context: here) { _ in Future(value: Self.run(body, 1)) }
                default:
                    stream.mapError(context: here) { error in
                        body()
                        return error
                    }
                }
            stream.failure(Failure())
            withExtendedLifetime(derived) {}
        case .zipped:
            stream.zip(arena.other, cancelToken: arena.token).onSuccess(context: here) { _ in body() }
            stream.success(1)
            arena.other.success(1)
        case .timed:
            stream.debounce(.seconds(1), context: arena.manual).onSuccess(context: here) { _ in body() }
            stream.success(1)
            arena.manual.advance(by: .seconds(1))
        case .tokenHandler:
            arena.token.onCancel(body)
            arena.token.cancel()
        case .contextExecute:
            stream.onSuccess(context: CallingContext(hook: body)) { _ in }
            stream.success(1)
        case .resolver: _ = FutureStream<Int> { _ in body() }
        case .method: _ = futureStream(method: { (_: @Sendable (Int) -> Void) in body() })
        case .futureClosure: _ = futureStream(context: here) { Self.run(body, 1) }
        case .deinitOfElement:
            let elements = FutureStream<AtDeinit>(capacity: 0)
            elements.onSuccess(context: here) { $0.use() }
            elements.success(AtDeinit(body))
        case .deinitOfError:
            let elements = FutureStream<Int>(capacity: 0)
            elements.failure(FailureAtDeinit(object: AtDeinit(body)))
        case .deinitOfHistory:
            let elements = FutureStream<AtDeinit>(capacity: 1)
            elements.success(AtDeinit(body))
            elements.success(AtDeinit {})
        case .deinitOfDetached:
            hold(AtDeinit(body)) { object in
                stream.onSuccess(context: here, cancelToken: arena.token) { _ in object.use() }
            }
            stream.cancel(arena.token)
        case .deinitOfFinished:
            hold(AtDeinit(body)) { object in stream.onSuccess(context: here) { _ in object.use() } }
            stream.finish()
        case .deinitOfDroppedTask:
            hold(AtDeinit(body)) { object in stream.onSuccess(context: DroppingContext()) { _ in object.use() } }
            stream.success(1)
        case .deinitOfWaitingElement:
            let elements = FutureStream<AtDeinit>(capacity: 0)
            let debounced = elements.debounce(.seconds(1), context: arena.manual)
            elements.success(AtDeinit(body))
            elements.success(AtDeinit {})
            withExtendedLifetime(debounced) {}
        case .deinitOfReleased:
            hold(AtDeinit(body)) { object in FutureStream<Int>().onSuccess(context: here) { _ in object.use() } }
        case .diagnostics:
            Reports.during { _ in
                let previous = FuturesDiagnostics.handler
                FuturesDiagnostics.handler = {
                    if $0 == .emittedAfterFinish(createdAt: CreationSite(fileID: "Lock/site", line: 1)) { body() }
                }
                let late = StreamPromise<Int>(fileID: "Lock/site", line: 1)
                late.finish()
                late.success(1)
                FuturesDiagnostics.handler = previous
            }
        }
    }

    private static func run(_ body: @Sendable () -> Void, _ value: Int) -> Int {
        body()
        return value
    }
}

private func hold(_ object: AtDeinit, _ body: (AtDeinit) -> Void) { body(object) }

private struct FailureAtDeinit: Error {
    let object: AtDeinit
}

private struct CallingContext: ExecutionContext {
    let hook: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) {
        hook()
        task()
    }
}
