import SimpleFutures
import Testing
@testable import TestSupport

/// The calls with old spellings of streams, behind a protocol, so that the tests use them without a warning.
private protocol OldStreamCode {
    func register(on stream: FutureStream<Int>, context: any ExecutionContext, log: Log<String>)
    func derive(
        from stream: FutureStream<Int>, context: any ExecutionContext, log: Log<String>
    ) -> [FutureStream<Int>]
    func cross(
        _ future: Future<Int>, to stream: FutureStream<Int>, context: any ExecutionContext
    ) -> [FutureStream<Int>]
    func link(_ stream: FutureStream<Int>, and future: Future<Int>) -> [FutureStream<Int>]
    func first(of stream: FutureStream<Int>) -> Future<Int>
}

private struct OldStreamSpellings: OldStreamCode {
    @available(*, deprecated)
    func register(on stream: FutureStream<Int>, context: any ExecutionContext, log: Log<String>) {
        stream.onComplete(executionContext: context) { log.add("complete \(Outcome($0))") }
        stream.onSuccess(executionContext: context) { log.add("success \($0)") }
        stream.onFailure(executionContext: context) { log.add("failure \($0)") }
        stream.foreach(executionContext: context) { log.add("each \($0)") }
    }

    @available(*, deprecated)
    func derive(
        from stream: FutureStream<Int>, context: any ExecutionContext, log: Log<String>
    ) -> [FutureStream<Int>] {
        [
            stream.flatmap(executionContext: context) { Future(value: $0 + 1) },
            stream.flatmap(executionContext: context) { FutureStream(value: $0 + 2) },
            stream.recoverWith(executionContext: context) { _ in Future(value: 5) },
            stream.recoverWith(executionContext: context) { _ in FutureStream(value: 6) },
            stream.withFilter(executionContext: context) { $0 > 1 },
            stream.andThen(executionContext: context) { log.add("then \(Outcome($0))") },
            stream.map(executionContext: context) { $0 > 1 ? Try($0) : Try(Oops.other) },
            stream.recover(executionContext: context) { _ in Try(7) },
        ]
    }

    @available(*, deprecated)
    func cross(
        _ future: Future<Int>, to stream: FutureStream<Int>, context: any ExecutionContext
    ) -> [FutureStream<Int>] {
        [
            future.flatmap(capacity: 1, executionContext: context) { _ in stream },
            future.recoverWith(capacity: 1, executionContext: context) { _ in stream },
        ]
    }

    @available(*, deprecated)
    func link(_ stream: FutureStream<Int>, and future: Future<Int>) -> [FutureStream<Int>] {
        let (target, promise) = (FutureStream<Int>(), StreamPromise<Int>())
        target.completeWith(executionContext: immediate, stream: stream)
        target.completeWith(executionContext: immediate, future: future)
        promise.completeWith(executionContext: immediate, stream: stream)
        promise.completeWith(executionContext: immediate, future: future)
        return [target, promise.future]
    }

    @available(*, deprecated)
    func first(of stream: FutureStream<Int>) -> Future<Int> {
        let future = Future<Int>()
        future.completeWith(executionContext: immediate, stream: stream)
        return future
    }
}

@Suite("Old spellings of streams", .watchdog)
struct DeprecatedStreamsTests {
    private let code: any OldStreamCode = OldStreamSpellings()
    private let log = Log<String>()
    private let context = InlineContext()
    private let promise = StreamPromise<Int>()

    private func outcomes(of stream: FutureStream<Int>) -> [Outcome<Int>] { stream.futures.map(\.ended) }

    @Test func `callbacks run on their context`() {
        code.register(on: promise.stream, context: context, log: log)
        promise.success(1)
        promise.failure(Oops.source)
        let complete = [Outcome.success(1), .failure(Oops.source)].map { "complete \($0)" }
        #expect(log.all == [complete[0], "success 1", "each 1", complete[1], "failure source"])
        #expect(context.count > 0)
    }

    @Test func `derived streams are the same as with today's names`() {
        let derived = code.derive(from: promise.stream, context: context, log: log)
        promise.success(1)
        promise.failure(Oops.source)
        let failure = Outcome<Int>.failure(Oops.source)
        let expected: [[Outcome<Int>]] = [
            [.success(2), failure], [.success(3), failure], [.success(1), .success(5)], [.success(1), .success(6)],
            [.failure(FuturesError.noSuchElement), failure], [.success(1), failure], [.failure(Oops.other), failure],
            [.success(1), .success(7)],
        ]
        #expect(derived.map(outcomes) == expected)
    }

    @Test func `andThen passes values and errors to its closure before its stream emits them`() {
        let derived = code.derive(from: promise.stream, context: immediate, log: log)[5]
        derived.onComplete(context: immediate) { [log] in log.add("derived \(Outcome($0))") }
        for result in [Try(1), Try<Int>(Oops.source)] {
            promise.complete(result)
            #expect(log.all.suffix(2) == ["then \(Outcome(result))", "derived \(Outcome(result))"])
        }
        promise.finish()
        #expect(derived.isFinished)
    }

    @Test func `futures convert to streams, with a capacity`() {
        for number in 1...3 { promise.success(number) }
        promise.finish()
        let succeeded = code.cross(Future(value: 9), to: promise.stream, context: immediate)
        #expect(succeeded.map(outcomes) == [[.success(3)], [.success(9)]])
        let failed = code.cross(Future(error: Oops.source), to: promise.stream, context: immediate)
        #expect(failed.map(outcomes) == [[.failure(Oops.source)], [.success(3)]])
    }

    @Test func `completeWith links streams, promises and futures`() {
        promise.success(1)
        let linked = code.link(promise.stream, and: Future(value: 2))
        #expect(linked.map(outcomes) == [[.success(1), .success(2)], [.success(1), .success(2)]])
        #expect(code.first(of: promise.stream).ended == .success(1))
    }
}
