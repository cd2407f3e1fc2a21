import SimpleFutures
import Testing
@testable import TestSupport

/// A place where user code runs.
struct Site: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable () -> Void

    let name: String
    /// Arranges for the code to run there.
    let reach: @Sendable (Bench, @escaping Body) -> Void

    init(_ name: String, reach: @escaping @Sendable (Bench, @escaping Body) -> Void) {
        self.name = name
        self.reach = reach
    }

    var testDescription: String { name }

    static let all = ofCombinators + ofFutures + ofStreams + deinits

    private static let ofCombinators: [Site] =
        FutureCombinator.all.filter { $0.takesContext }.map { combinator in
            Site(combinator.name) { bench, body in
                let derived = combinator.apply(to: bench.future, clock: bench.manual) { _ in body() }
                bench.promise.complete(combinator.runs == .error ? .failure(Failure()) : .success(1))
                withExtendedLifetime(derived) {}
            }
        }
        + StreamCombinator.all.filter { $0.takesContext }.map { combinator in
            Site("\(combinator.name) of a stream") { bench, body in
                let derived = combinator.apply(to: bench.stream, clock: bench.manual) { _ in body() }
                for value in 1...2 { bench.stream.success(value) }
                bench.stream.failure(Failure())
                withExtendedLifetime(derived) {}
            }
        }

    private static let ofFutures: [Site] = [
        .init("onSuccess") { bench, body in
            bench.future.onSuccess(context: immediate, cancelToken: bench.token) { _ in body() }
            bench.promise.success(1)
        },
        .init("onCancel") { bench, body in
            let derived = bench.future.map(context: immediate, cancelToken: bench.token) { $0 }
            derived.onCancel(context: immediate) { body() }
            bench.token.cancel()
        },
        .init("flatMap to a future that is pending, under a token") { bench, body in
            _ = bench.future.flatMap(context: immediate, cancelToken: bench.token) { _ in
                body()
                return bench.other.future
            }
            bench.promise.success(1)
        },
        .init("a handler of a token") { bench, body in
            bench.token.onCancel(body)
            bench.token.cancel()
        },
        .init("a handler of a token that is cancelled") { bench, body in
            bench.token.cancel()
            bench.token.onCancel(body)
        },
        .init("execute of a context") { bench, body in
            bench.future.onSuccess(context: HookedContext(hook: body)) { _ in }
            bench.promise.success(1)
        },
        .init("a user's inline context") { bench, body in
            bench.future.onSuccess(context: InlineContext()) { _ in body() }
            bench.promise.success(1)
        },
        .init("a manual context") { bench, body in
            bench.future.onSuccess(context: bench.manual) { _ in body() }
            bench.promise.success(1)
            bench.manual.run()
        },
        .init("a timer") { bench, body in
            bench.manual.execute(after: .seconds(1), body)
            bench.manual.advance(by: .seconds(1))
        },
        .init("a resolver") { _, body in
            _ = Future<Int> { complete in
                body()
                complete(.success(1))
            }
        },
    ]

    private static let ofStreams: [Site] = [
        .init("onSuccess of a stream") { bench, body in
            bench.stream.onSuccess(context: immediate, cancelToken: bench.token) { _ in body() }
            bench.stream.success(1)
        },
        .init("onFinish") { bench, body in
            bench.stream.onFinish(context: immediate) { body() }
            bench.stream.finish()
        },
        .init("onCancel of a stream") { bench, body in
            bench.stream.map(context: immediate, cancelToken: bench.token) { $0 }.onCancel(context: immediate) {
                body()
            }
            bench.token.cancel()
        },
        .init("onSuccess of what a stream keeps") { bench, body in
            bench.stream.success(1)
            bench.stream.onSuccess(context: immediate) { _ in body() }
        },
        .init("onSuccess of a stream on a manual context") { bench, body in
            bench.stream.onSuccess(context: bench.manual) { _ in body() }
            bench.stream.success(1)
            bench.manual.run()
        },
        .init("onSuccess of a stream on a user's inline context") { bench, body in
            bench.stream.onSuccess(context: InlineContext()) { _ in body() }
            bench.stream.success(1)
        },
        .init("flatMap to a stream that goes on, under a token") { bench, body in
            _ = bench.stream.flatMap(context: immediate, cancelToken: bench.token) { _ in
                body()
                return bench.otherStream
            }
            bench.stream.success(1)
        },
        .init("a zipped stream") { bench, body in
            bench.stream.zip(bench.otherStream, cancelToken: bench.token).onSuccess(context: immediate) { _ in body() }
            bench.stream.success(1)
            bench.otherStream.success(1)
        },
        .init("a debounced stream") { bench, body in
            bench.stream.debounce(.seconds(1), context: bench.manual).onSuccess(context: immediate) { _ in body() }
            bench.stream.success(1)
            bench.manual.advance(by: .seconds(1))
        },
        .init("execute of a stream's context") { bench, body in
            bench.stream.onSuccess(context: HookedContext(hook: body)) { _ in }
            bench.stream.success(1)
        },
        .init("a stream's resolver") { _, body in _ = FutureStream<Int> { _ in body() } },
        .init("futureStream(method:)") { _, body in
            _ = futureStream(method: { (_: @Sendable (Int) -> Void) in body() })
        },
        .init("futureStream(context:)") { _, body in
            _ = futureStream(context: immediate) {
                body()
                return 1
            }
        },
        .init("the handler of reports") { _, body in
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
        },
    ]

    /// Code that runs on the release of an object that the library retained.
    private static let deinits: [Site] = [
        .init("a capture of a callback that has run") { bench, body in
            bench.future.onSuccess(context: immediate) { [object = AtDeinit(body)] _ in object.use() }
            bench.promise.success(1)
        },
        .init("a capture of a callback that was cancelled") { bench, body in
            bench.future.onSuccess(context: immediate, cancelToken: bench.token) { [object = AtDeinit(body)] _ in
                object.use()
            }
            bench.future.cancel(bench.token)
        },
        .init("a capture of a token's handler") { bench, body in
            bench.token.onCancel { [object = AtDeinit(body)] in object.use() }
            bench.token.cancel()
        },
        .init("a value") { _, body in _ = Future(value: AtDeinit(body)) },
        .init("an error") { _, body in _ = Future<Int>(error: ErrorAtDeinit(object: AtDeinit(body))) },
        .init("a capture of a task that a context drops") { bench, body in
            bench.future.onSuccess(context: DroppingContext()) { [object = AtDeinit(body)] _ in object.use() }
            bench.promise.success(1)
        },
        .init("a capture of a callback of a future that is released") { _, body in
            var future: Future<Int>? = Future()
            future?.onCancel(context: immediate) { [object = AtDeinit(body)] in object.use() }
            future = nil
        },
        .init("an element") { _, body in
            let elements = FutureStream<AtDeinit>(capacity: 0)
            elements.onSuccess(context: immediate) { $0.use() }
            elements.success(AtDeinit(body))
        },
        .init("an error of a stream") { _, body in
            FutureStream<Int>(capacity: 0).failure(ErrorAtDeinit(object: AtDeinit(body)))
        },
        .init("an element that a stream keeps no longer") { _, body in
            let elements = FutureStream<AtDeinit>(capacity: 1)
            elements.success(AtDeinit(body))
            elements.success(AtDeinit {})
        },
        .init("an element that waited for time to pass") { bench, body in
            let elements = FutureStream<AtDeinit>(capacity: 0)
            let debounced = elements.debounce(.seconds(1), context: bench.manual)
            elements.success(AtDeinit(body))
            elements.success(AtDeinit {})
            withExtendedLifetime(debounced) {}
        },
        .init("a capture of a stream's callback that was cancelled") { bench, body in
            bench.stream.onSuccess(context: immediate, cancelToken: bench.token) { [object = AtDeinit(body)] _ in
                object.use()
            }
            bench.stream.cancel(bench.token)
        },
        .init("a capture of a callback of a stream that has finished") { bench, body in
            bench.stream.onSuccess(context: immediate) { [object = AtDeinit(body)] _ in object.use() }
            bench.stream.finish()
        },
        .init("a capture of a stream's task that a context drops") { bench, body in
            bench.stream.onSuccess(context: DroppingContext()) { [object = AtDeinit(body)] _ in object.use() }
            bench.stream.success(1)
        },
        .init("a capture of a callback of a stream that is released") { _, body in
            var stream: FutureStream<Int>? = FutureStream()
            stream?.onSuccess(context: immediate) { [object = AtDeinit(body)] _ in object.use() }
            stream = nil
        },
    ]
}

struct ErrorAtDeinit: Error {
    let object: AtDeinit
}

private struct HookedContext: ExecutionContext {
    let hook: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) {
        hook()
        task()
    }
}
