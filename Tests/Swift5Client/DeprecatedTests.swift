import SimpleFutures
import Testing
@testable import TestSupport

@available(*, deprecated)
private struct OldSpellings {
    func register(on future: Future<Int>, context: any ExecutionContext, log: Log<String>) {
        future.onComplete(executionContext: context) { log.add("complete \(Outcome($0))") }
        future.onSuccess(executionContext: context) { log.add("success \($0)") }
        future.onFailure(executionContext: context) { log.add("failure \($0)") }
        future.foreach(executionContext: context) { log.add("each \($0)") }
    }

    func register(on stream: FutureStream<Int>, context: any ExecutionContext, log: Log<String>) {
        stream.onComplete(executionContext: context) { log.add("complete \(Outcome($0))") }
        stream.onSuccess(executionContext: context) { log.add("success \($0)") }
        stream.onFailure(executionContext: context) { log.add("failure \($0)") }
        stream.foreach(executionContext: context) { log.add("each \($0)") }
    }

    func derive(from future: Future<Int>, context: any ExecutionContext, log: Log<String>) -> [Future<Int>] {
        [
            future.andThen(executionContext: context) { log.add("then \(Outcome($0))") },
            future.flatmap(executionContext: context) { Future(value: $0 + 1) },
            future.recoverWith(executionContext: context) { _ in Future(value: 5) },
            future.withFilter(executionContext: context) { $0 > 1 },
            future.map(executionContext: context) { $0 > 1 ? Try($0) : Try(Oops.other) },
            future.recover(executionContext: context) { _ in Try(6) },
        ]
    }

    func derive(
        from stream: FutureStream<Int>, context: any ExecutionContext, log: Log<String>
    ) -> [FutureStream<Int>] {
        [
            stream.andThen(executionContext: context) { log.add("then \(Outcome($0))") },
            stream.flatmap(executionContext: context) { Future(value: $0 + 1) },
            stream.flatmap(executionContext: context) { FutureStream(value: $0 + 2) },
            stream.recoverWith(executionContext: context) { _ in Future(value: 5) },
            stream.recoverWith(executionContext: context) { _ in FutureStream(value: 6) },
            stream.withFilter(executionContext: context) { $0 > 1 },
            stream.map(executionContext: context) { $0 > 1 ? Try($0) : Try(Oops.other) },
            stream.recover(executionContext: context) { _ in Try(7) },
        ]
    }

    func cross(_ future: Future<Int>, to stream: FutureStream<Int>) -> [FutureStream<Int>] {
        [
            future.flatmap(capacity: 1, executionContext: immediate) { _ in stream },
            future.recoverWith(capacity: 1, executionContext: immediate) { _ in stream },
        ]
    }

    func link(_ future: Future<Int>) -> [Future<Int>] {
        let (target, promise) = (Future<Int>(), Promise<Int>())
        target.completeWith(executionContext: immediate, future: future)
        promise.completeWith(executionContext: immediate, future: future)
        return [target, promise.future]
    }

    func link(_ stream: FutureStream<Int>, and future: Future<Int>) -> [FutureStream<Int>] {
        let (target, promise) = (FutureStream<Int>(), StreamPromise<Int>())
        target.completeWith(executionContext: immediate, stream: stream)
        target.completeWith(executionContext: immediate, future: future)
        promise.completeWith(executionContext: immediate, stream: stream)
        promise.completeWith(executionContext: immediate, future: future)
        return [target, promise.future]
    }

    func first(of stream: FutureStream<Int>) -> Future<Int> {
        let future = Future<Int>()
        future.completeWith(executionContext: immediate, stream: stream)
        return future
    }

    func results() -> [Try<Int>] { [.Success(1), .Failure(TryError.filterFailed)] }
}

@Suite("Old spellings", .watchdog)
struct DeprecatedTests {
    @available(*, deprecated) private let code = OldSpellings()
    private let log = Log<String>()
    private let context = InlineContext()
    private let promise = StreamPromise<Int>()
    private let failure = Outcome<Int>.failure(Oops.source)

    private func outcomes(of stream: FutureStream<Int>) -> [Outcome<Int>] { stream.futures.map(\.ended) }

    @available(*, deprecated)
    @Test func `callbacks run on their context`() {
        code.register(on: Future(value: 1), context: context, log: log)
        code.register(on: Future(error: Oops.source), context: context, log: log)
        #expect(context.count == 5)
        code.register(on: promise.stream, context: context, log: log)
        promise.success(1)
        promise.failure(Oops.source)
        let complete = [Outcome.success(1), failure].map { "complete \($0)" }
        let each = [complete[0], "success 1", "each 1", complete[1], "failure source"]
        #expect(log.all == each + each)
        #expect(context.count > 5)
    }

    @available(*, deprecated)
    @Test func `derived futures are the same as with today's names`() {
        let succeeded = code.derive(from: Future(value: 1), context: context, log: log).map(\.ended)
        let missing = Outcome<Int>.failure(FuturesError.noSuchElement)
        #expect(succeeded == [.success(1), .success(2), .success(1), missing, .failure(Oops.other), .success(1)])
        #expect(context.count == 4)
        let failed = code.derive(from: Future(error: Oops.source), context: context, log: log).map(\.ended)
        #expect(failed == [failure, failure, .success(5), failure, failure, .success(6)])
        #expect(context.count == 7)
    }

    @available(*, deprecated)
    @Test func `derived streams are the same as with today's names`() {
        let derived = code.derive(from: promise.stream, context: context, log: log)
        promise.success(1)
        promise.failure(Oops.source)
        let expected: [[Outcome<Int>]] = [
            [.success(1), failure], [.success(2), failure], [.success(3), failure], [.success(1), .success(5)],
            [.success(1), .success(6)], [.failure(FuturesError.noSuchElement), failure],
            [.failure(Oops.other), failure], [.success(1), .success(7)],
        ]
        #expect(derived.map(outcomes) == expected)
        promise.finish()
        #expect(derived[0].isFinished)
    }

    @available(*, deprecated)
    @Test(arguments: [Try(1), Try<Int>(Oops.source)])
    func `andThen passes values and errors to its closure before what it derives has them`(result: Try<Int>) {
        let source = Promise<Int>()
        code.derive(from: source.future, context: immediate, log: log)[0]
            .onComplete(context: immediate) { [log] in log.add("derived \(Outcome($0))") }
        code.derive(from: promise.stream, context: immediate, log: log)[0]
            .onComplete(context: immediate) { [log] in log.add("derived \(Outcome($0))") }
        source.complete(result)
        promise.complete(result)
        let calls = ["then \(Outcome(result))", "derived \(Outcome(result))"]
        #expect(log.all == calls + calls)
    }

    @available(*, deprecated)
    @Test func `futures convert to streams, with a capacity`() {
        for number in 1...3 { promise.success(number) }
        promise.finish()
        let succeeded = code.cross(Future(value: 9), to: promise.stream)
        #expect(succeeded.map(outcomes) == [[.success(3)], [.success(9)]])
        let failed = code.cross(Future(error: Oops.source), to: promise.stream)
        #expect(failed.map(outcomes) == [[failure], [.success(3)]])
    }

    @available(*, deprecated)
    @Test func `completeWith links futures, streams and promises`() {
        promise.success(1)
        #expect(code.link(Future(value: 1)).map(\.ended) == [.success(1), .success(1)])
        let linked = code.link(promise.stream, and: Future(value: 2))
        #expect(linked.map(outcomes) == [[.success(1), .success(2)], [.success(1), .success(2)]])
        #expect(code.first(of: promise.stream).ended == .success(1))
    }

    @available(*, deprecated)
    @Test func `results and their error have their old names`() {
        #expect(code.results().map { Outcome($0) } == [.success(1), .failure(FuturesError.noSuchElement)])
    }
}
