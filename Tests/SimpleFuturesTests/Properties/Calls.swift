import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

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
            Call(combinator.name) { bench in
                _ = combinator.apply(
                    to: bench.future, clock: bench.manual, under: bench.token,
                    inner: Use.Inner(future: { bench.other.future }, stream: { bench.otherStream }))
            }
        }
        + StreamCombinator.all.map { combinator in
            Call("\(combinator.name) of a stream") { bench in
                _ = combinator.apply(
                    to: bench.stream, clock: bench.manual, under: bench.token,
                    inner: Use.Inner(future: { bench.other.future }, stream: { bench.otherStream }))
            }
        }

    private static let ofFutures: [Call] = [
        .init("complete") { $0.promise.trySuccess(2) },
        .init("complete again") { $0.promise.failure(Failure()) },
        .init("complete another one") { $0.other.trySuccess(2) },
        .init("onComplete") { bench in bench.future.onComplete(context: immediate) { _ in bench.after.increment() } },
        .init("onSuccess") { bench in bench.future.onSuccess(context: immediate) { _ in bench.after.increment() } },
        .init("onCancel") { bench in bench.future.onCancel(context: immediate) { bench.after.increment() } },
        .init("on") { bench in bench.future.on(context: immediate, success: { _ in bench.after.increment() }) },
        .init("onComplete of another one") { bench in
            bench.other.future.onComplete(context: immediate) { _ in bench.after.increment() }
        },
        .init("onComplete under a token") {
            $0.future.onComplete(context: immediate, cancelToken: $0.token) { _ in }
        },
        .init("completeWith") { $0.other.completeWith(future: $0.future) },
        .init("completeWith itself") { $0.other.completeWith(future: $0.other.future) },
        .init("zip of two") { _ = SimpleFutures.zip($0.future, $0.other.future) },
        .init("traverse, one at a time") { _ in
            _ = [1, 2].traverse(maxConcurrent: 1, context: immediate) { Future(value: $0) }
        },
        .init("many of two") { bench in
            for combinator in ManyInputs.allCases { _ = combinator.apply([bench.future, bench.other.future]) }
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
        .init("drop the last reference") { bench in
            Future<Int>().onFailure(context: immediate) { _ in bench.after.increment() }
        },
        .init("drop a promise") { bench in
            Promise<Int>().future.onFailure(context: immediate) { _ in bench.after.increment() }
        },
        .init("future(method:)") { _ in
            _ = SimpleFutures.future(method: { (block: @Sendable (Int) -> Void) in block(3) })
        },
        .init("set the handler of reports") { _ in FuturesDiagnostics.handler = FuturesDiagnostics.handler },
    ]

    private static let ofTokens: [Call] = [
        .init("future.cancel(token)") { $0.future.cancel($0.token) },
        .init("token.cancel()") { $0.token.cancel() },
        .init("token.onCancel") { bench in bench.token.onCancel { bench.after.increment() } },
        .init("registration.cancel()") { $0.registration.value.cancel() },
        .init("token.child()") { bench in bench.token.child().onCancel { bench.after.increment() } },
        .init("drop a child") { _ = $0.token.child() },
        .init("CancelToken(anyOf:)") { bench in
            CancelToken(anyOf: bench.token, CancelToken()).onCancel { bench.after.increment() }
        },
        .init("CancelToken(after:)") { bench in
            CancelToken(after: .seconds(1), context: bench.manual).onCancel { bench.after.increment() }
        },
    ]

    private static let ofStreams: [Call] = [
        .init("emit") { $0.stream.success(7) },
        .init("emit a failure") { $0.stream.failure(Failure()) },
        .init("emit a result") { $0.stream.complete(.success(8)) },
        .init("finish") { $0.stream.finish() },
        .init("emit into another one") { $0.otherStream.success(1) },
        .init("finish another one") { $0.otherStream.finish() },
        .init("onComplete of a stream") { $0.stream.onComplete(context: immediate) { _ in } },
        .init("onSuccess of a stream") { $0.stream.onSuccess(context: immediate, cancelToken: $0.token) { _ in } },
        .init("onFailure of a stream") { $0.stream.onFailure(context: immediate) { _ in } },
        .init("onFinish") { $0.stream.onFinish(context: immediate) {} },
        .init("onCancel of a stream") { $0.stream.onCancel(context: immediate) {} },
        .init("onSuccess on a manual context") { bench in bench.stream.onSuccess(context: bench.manual) { _ in } },
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
    let after = Box(0)
    let registration = Box(Registration())

    var future: Future<Int> { promise.future }

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
