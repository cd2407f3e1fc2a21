import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 5: no user code runs under a lock, so every call can be made from every callback", .watchdog)
struct NoUserCodeUnderALockTests {
    @Test(arguments: Site.all)
    func `every call can be made inside a callback, and neither traps nor deadlocks`(_ site: Site) {
        let current = Box("")
        let isOver = returns {
            for call in Call.all {
                current.value = call.name
                let calls = Box(0)
                let bench = Bench()
                site.reach(bench) {
                    guard calls.value == 0 else { return }
                    calls.increment()
                    call.make(bench)
                }
                bench.clear()
                if calls.value != 1 { Issue.record("in \(site.name): \(call.name) was made \(calls.value) times") }
            }
        }
        #expect(isOver, "\(current.value) does not return")
    }

    @Test(arguments: [true, false])
    func `what another thread releases does not end under the lock of a token`(isStream: Bool) async {
        // `cancel(token)` searches the token for links of the future or stream, and must not release the last
        // reference to another one there.
        await #expect(processExitsWith: .success) { [isStream] in
            let token = CancelToken()
            @Sendable func bare() -> any Sendable {
                let (future, stream) = (Future<Int>(), FutureStream<Int>())
                if isStream {
                    stream.onComplete(context: ImmediateContext(), cancelToken: token) { _ in }
                    return stream
                }
                future.onComplete(context: ImmediateContext(), cancelToken: token) { _ in }
                return future
            }
            race(rounds: Stress.rounds(isStream ? 1_000 : 3_000)) {
                let (future, stream) = (Future<Int>(), FutureStream<Int>())
                for _ in 0..<20 {
                    future.onComplete(context: ImmediateContext()) { _ in }
                    stream.onComplete(context: ImmediateContext()) { _ in }
                }
                let bares = (0..<8).map { _ in Box<(any Sendable)?>(bare()) }
                return (future: future, stream: stream, bares: bares)
            } _: { arena in
                for _ in 0..<8 {
                    if isStream { arena.stream.cancel(token) } else { arena.future.cancel(token) }
                }
            } _: { arena in
                for bare in arena.bares { bare.value = nil }
            } check: { _ in
                precondition(token.registrationCount == 0)
            }
        }
    }

    /// The ways to unsubscribe the last callback of a future or stream.
    enum Act: String, Codable, CaseIterable, Sendable {
        case tokenIsCanceled, sourceCancelsToken, derivedFinishes, tokenOfFutureIsCanceled
    }

    @Test(arguments: Act.allCases)
    func `unsubscribing the last callback releases a context that owns the future or stream`(_ act: Act) async {
        await #expect(processExitsWith: .success) { [act] in
            let token = CancelToken()
            var owner: Owner? = Owner()
            weak let released = owner
            guard let stream = owner?.streamPromise.stream, let context = owner else { return }
            var derived: FutureStream<Int>?
            if act == .tokenOfFutureIsCanceled {
                context.promise.future.onSuccess(context: context, cancelToken: token) { _ in }
            } else {
                derived = stream.map(context: context, cancelToken: token) { $0 }
            }
            owner = nil
            _ = consume context
            switch act {
            case .tokenIsCanceled, .tokenOfFutureIsCanceled: token.cancel()
            case .sourceCancelsToken: stream.cancel(token)
            case .derivedFinishes: derived?.finish()
            }
            _ = consume stream
            precondition(released == nil, "the owner is kept")
        }
    }

    @Test func `a task that a context runs inside its own lock can complete other futures`() {
        let promise = Promise<Int>()
        let inner = Promise<Int>()
        let chained = promise.future.flatMap(context: InlineContext()) { _ in inner.future }
        inner.future.onSuccess(context: InlineContext()) { _ in promise.trySuccess(3) }
        #expect(returns { inner.success(7) })
        #expect(chained.result?.value == 7)
    }

    @Test(arguments: [true, false])
    func `callbacks do not run after their token is canceled, even before they are unsubscribed`(isFinish: Bool) {
        // As after `task.cancel()`: the token is marked as cancelled, but Dispatch has not yet unsubscribed the
        // callbacks, and does so outside the runtime's handler.
        let (token, promise, source, runs) = (CancelToken(), Promise<Int>(), FutureStream<Int>(), Box(0))
        let handlerRuns = Box(0)
        token.onCancel { handlerRuns.increment() }
        promise.future.onSuccess(context: immediate, cancelToken: token) { _ in runs.increment() }
        let derivedFuture = promise.future.map(context: immediate, cancelToken: token) { $0 }
        source.onSuccess(context: immediate, cancelToken: token) { _ in runs.increment() }
        source.onFinish(context: immediate, cancelToken: token) { runs.increment() }
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let flattened = source.flatMap(context: immediate, cancelToken: token) { Future(value: $0) }
        let logs = [derived.heard(), flattened.heard()]
        let later = Box<(@Sendable () -> Void)?>(nil)
        token.cancel { later.value = $0 }
        #expect(token.isCancelled)
        #expect(handlerRuns.value == 0)
        promise.success(1)
        source.success(1)
        if isFinish { source.finish() }
        later.value?()
        if !isFinish { source.success(2) }
        #expect(handlerRuns.value == 1)
        #expect(runs.value == 0)
        #expect(derivedFuture.isCancelled)
        #expect(logs.map { $0.all } == [[.cancel], [.cancel]])
        #expect(derived.isCancelled && flattened.isCancelled)
    }
}

/// A context that owns the future and the stream with which its callbacks are registered.
private final class Owner: ExecutionContext {
    let promise = Promise<Int>()
    let streamPromise = StreamPromise<Int>(capacity: 0)

    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}

/// A public call that a test makes from inside of callbacks.
struct Call: Sendable {
    let name: String
    let make: @Sendable (Bench) -> Void

    init(_ name: String, _ make: @escaping @Sendable (Bench) -> Void) {
        self.name = name
        self.make = make
    }

    static let all = ofCombinators + ofFutures + ofTokens + ofStreams

    private static let ofCombinators: [Call] =
        FutureCombinator.all.map { combinator in
            Call(combinator.name) {
                _ = combinator.apply(to: $0.future, clock: $0.manual, under: $0.token, inner: $0.inner)
            }
        }
        + StreamCombinator.all.map { combinator in
            Call("\(combinator.name) of a stream") {
                _ = combinator.apply(to: $0.stream, clock: $0.manual, under: $0.token, inner: $0.inner)
            }
        }

    private static let ofFutures: [Call] = [
        .init("complete") { $0.promise.trySuccess(2) },
        .init("complete again") { $0.promise.failure(Failure()) },
        .init("complete another one") { $0.other.trySuccess(2) },
        .init("register callbacks") { bench in
            bench.future.onComplete(context: immediate) { _ in }
            bench.future.onSuccess(context: immediate, cancelToken: bench.token) { _ in }
            bench.future.onCancel(context: immediate) {}
            bench.future.on(context: immediate, success: { _ in })
        },
        .init("onComplete of another one") { $0.other.future.onComplete(context: immediate) { _ in } },
        .init("completeWith") { $0.other.completeWith(future: $0.future) },
        .init("completeWith itself") { $0.other.completeWith(future: $0.other.future) },
        .init("traverse, one at a time") { _ in
            _ = [1, 2].traverse(maxConcurrent: 1, context: immediate) { Future(value: $0) }
        },
        .init("many of two") { bench in
            for combinator in ManyInputs.allCases { _ = combinator.apply([bench.future, bench.other.future]) }
            _ = SimpleFutures.zip(bench.future, bench.other.future)
        },
        .init("retry with a pause") { bench in
            _ = Future.retry(2, delay: .seconds(1), context: bench.manual) { bench.other.future }
        },
        .init("after") { _ = Future.after(.seconds(1), value: 1, context: $0.manual, cancelToken: $0.token) },
        .init("wait") { _ in _ = try? Future(value: 1).wait() },
        .init("wait for what is deferred") { _ in
            let deferred = Promise<Int>()
            let derived = deferred.future.map(context: immediate) { $0 + 1 }
            deferred.success(1)
            _ = try? derived.wait()
        },
        .init("the state of a future") {
            _ = ($0.future.result, $0.future.completed, $0.future.isCancelled, $0.future.debugDescription)
        },
        .init("drop the last reference") { _ in Future<Int>().onFailure(context: immediate) { _ in } },
        .init("drop a promise") { _ in Promise<Int>().future.onFailure(context: immediate) { _ in } },
        .init("future(method:)") { _ in
            _ = SimpleFutures.future(method: { (block: @Sendable (Int) -> Void) in block(3) })
        },
        .init("set the handler of reports") { _ in FuturesDiagnostics.handler = FuturesDiagnostics.handler },
    ]

    private static let ofTokens: [Call] = [
        .init("future.cancel(token)") { $0.future.cancel($0.token) },
        .init("token.cancel()") { $0.token.cancel() },
        .init("token.onCancel") { $0.token.onCancel {} },
        .init("registration.cancel()") { $0.registration.value.cancel() },
        .init("make and drop tokens") { bench in
            bench.token.child().onCancel {}
            _ = bench.token.child()
            CancelToken(anyOf: bench.token, CancelToken()).onCancel {}
            CancelToken(after: .seconds(1), context: bench.manual).onCancel {}
        },
    ]

    private static let ofStreams: [Call] = [
        .init("emit") { $0.stream.success(7) },
        .init("emit a failure and a result") {
            $0.stream.failure(Failure())
            $0.stream.complete(.success(8))
        },
        .init("finish") { $0.stream.finish() },
        .init("emit into another one") { $0.otherStream.success(1) },
        .init("finish another one") { $0.otherStream.finish() },
        .init("subscribe") { bench in
            bench.stream.onComplete(context: immediate) { _ in }
            bench.stream.onSuccess(context: immediate, cancelToken: bench.token) { _ in }
            bench.stream.onFailure(context: immediate) { _ in }
            bench.stream.onFinish(context: immediate) {}
            bench.stream.onCancel(context: immediate) {}
        },
        .init("onSuccess on a manual context") { $0.stream.onSuccess(context: $0.manual) { _ in } },
        .init("onSuccess on a queue") { $0.stream.onSuccess(context: DispatchQueue.global()) { _ in } },
        .init("stream.cancel(token)") { $0.stream.cancel($0.token) },
        .init("the state of a stream") {
            _ = ($0.stream.futures, $0.stream.count, $0.stream.isFinished, $0.stream.isCancelled)
            _ = $0.stream.debugDescription
        },
        .init("merge with another one") { _ = $0.stream.merge($0.otherStream, cancelToken: $0.token) },
        .init("zip with another one") { _ = $0.stream.zip($0.otherStream, cancelToken: $0.token) },
        .init("take one") { _ = $0.stream.take(1) },
        .init("complete a stream with a stream") { $0.otherStream.completeWith(stream: $0.stream) },
        .init("complete a stream with a future") { $0.stream.completeWith(future: Future(value: 1)) },
        .init("complete a stream with itself") { $0.stream.completeWith(stream: $0.stream) },
        .init("complete a future with a stream") { Future<Int>().completeWith(stream: $0.stream) },
        .init("drop a stream's promise") { $0.streamPromise.value = nil },
        .init("drop a bare stream") { _ in FutureStream(value: 1).onFinish(context: immediate) {} },
        .init("futureStream(method:)") { _ in
            _ = futureStream(method: { (block: @Sendable (Int) -> Void) in block(3) })
        },
        .init("wait for an element") { bench in
            let last = Future<Int>()
            last.completeWith(stream: bench.otherStream)
            bench.otherStream.success(1)
            _ = try? last.wait(timeout: .zero)
        },
        .init("run a manual context") { $0.manual.run() },
    ]
}

/// The futures, streams and tokens that the calls use.
final class Bench: Sendable {
    let promise = Promise<Int>()
    let other = Promise<Int>()
    let streamPromise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 2))
    let stream: FutureStream<Int>
    let otherStream = FutureStream<Int>(capacity: 2)
    let token = CancelToken()
    let manual = ManualContext()
    let registration = Box(Registration())

    var future: Future<Int> { promise.future }
    /// The results of the combinators' closures.
    var inner: Use.Inner { Use.Inner(future: { self.other.future }, stream: { self.otherStream }) }

    init() {
        stream = streamPromise.value!.stream
        registration.value = token.onCancel {}
        future.onComplete(context: immediate, cancelToken: token) { _ in }
        stream.onComplete(context: immediate, cancelToken: token) { _ in }
        stream.onComplete(context: manual, cancelToken: token) { _ in }
    }

    /// Ends everything: callbacks that never run would keep the bench alive.
    func clear() {
        token.cancel()
        promise.trySuccess(0)
        other.trySuccess(0)
        streamPromise.value = nil
        if !stream.isFinished { stream.finish() }
        otherStream.finish()
        manual.advance(by: .seconds(10))
    }
}
