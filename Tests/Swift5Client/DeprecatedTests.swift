import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Old spellings", .watchdog)
struct DeprecatedTests {
    private let log = Log<String>()
    private let context = InlineContext()
    private let promise = StreamPromise<Int>()
    private let failure = Outcome<Int>.failure(Oops.source)
    private let missing = Outcome<Int>.failure(FuturesError.noSuchElement)

    private func outcomes(of stream: FutureStream<Int>) -> [Outcome<Int>] { stream.futures.map(\.ended) }

    @available(*, deprecated)
    @Test func `callbacks run on their context`() {
        for future in [Future(value: 1), Future(error: Oops.source)] {
            future.onComplete(executionContext: context) { log.add("complete \(Outcome($0))") }
            future.onSuccess(executionContext: context) { log.add("success \($0)") }
            future.onFailure(executionContext: context) { log.add("failure \($0)") }
            future.foreach(executionContext: context) { log.add("each \($0)") }
        }
        #expect(context.count == 5)
        let stream = promise.stream
        stream.onComplete(executionContext: context) { log.add("complete \(Outcome($0))") }
        stream.onSuccess(executionContext: context) { log.add("success \($0)") }
        stream.onFailure(executionContext: context) { log.add("failure \($0)") }
        stream.foreach(executionContext: context) { log.add("each \($0)") }
        promise.success(1)
        promise.failure(Oops.source)
        // The callbacks hold the promise.
        promise.finish()
        let complete = [Outcome.success(1), failure].map { "complete \($0)" }
        let each = [complete[0], "success 1", "each 1", complete[1], "failure source"]
        #expect(log.all == each + each)
        #expect(context.count > 5)
    }

    @available(*, deprecated)
    @Test func `derived futures are the same as with today's names`() {
        func derived(from future: Future<Int>) -> [Outcome<Int>] {
            [
                future.flatmap(executionContext: context) { Future(value: $0 + 1) },
                future.recoverWith(executionContext: context) { _ in Future(value: 5) },
                future.withFilter(executionContext: context) { $0 > 1 },
                future.map(executionContext: context) { $0 > 1 ? Try($0) : Try(Oops.other) },
                future.recover(executionContext: context) { _ in Try(6) },
            ].map(\.ended)
        }
        let succeeded = derived(from: Future(value: 1))
        #expect(succeeded == [.success(2), .success(1), missing, .failure(Oops.other), .success(1)])
        #expect(context.count == 3)
        let failed = derived(from: Future(error: Oops.source))
        #expect(failed == [failure, .success(5), failure, failure, .success(6)])
        #expect(context.count == 5)
    }

    @available(*, deprecated)
    @Test func `derived streams are the same as with today's names`() {
        let stream = promise.stream
        let derived = [
            stream.flatmap(executionContext: context) { Future(value: $0 + 1) },
            stream.flatmap(executionContext: context) { FutureStream(value: $0 + 2) },
            stream.recoverWith(executionContext: context) { _ in Future(value: 5) },
            stream.recoverWith(executionContext: context) { _ in FutureStream(value: 6) },
            stream.withFilter(executionContext: context) { $0 > 1 },
            stream.map(executionContext: context) { $0 > 1 ? Try($0) : Try(Oops.other) },
            stream.recover(executionContext: context) { _ in Try(7) },
        ]
        promise.success(1)
        promise.failure(Oops.source)
        let expected: [[Outcome<Int>]] = [
            [.success(2), failure], [.success(3), failure], [.success(1), .success(5)], [.success(1), .success(6)],
            [missing, failure], [.failure(Oops.other), failure], [.success(1), .success(7)],
        ]
        #expect(derived.map(outcomes) == expected)
    }

    @available(*, deprecated)
    @Test(arguments: [Try(1), Try<Int>(Oops.source)])
    func `andThen passes values and errors to its closure before what it derives has them`(result: Try<Int>) {
        let (source, log) = (Promise<Int>(), log)
        let future = source.future.andThen(executionContext: context) { log.add("then \(Outcome($0))") }
        future.onComplete(context: immediate) { log.add("derived \(Outcome($0))") }
        let stream = promise.stream.andThen(executionContext: context) { log.add("then \(Outcome($0))") }
        stream.onComplete(context: immediate) { log.add("derived \(Outcome($0))") }
        source.complete(result)
        promise.complete(result)
        promise.finish()
        let calls = ["then \(Outcome(result))", "derived \(Outcome(result))"]
        #expect(log.all == calls + calls)
        #expect(context.count >= 2)
        #expect(future.ended == Outcome(result) && stream.isFinished)
    }

    @available(*, deprecated)
    @Test func `futures convert to streams, with a capacity`() {
        func crossed(_ future: Future<Int>) -> [[Outcome<Int>]] {
            [
                future.flatmap(capacity: 1, executionContext: immediate) { _ in promise.stream },
                future.recoverWith(capacity: 1, executionContext: immediate) { _ in promise.stream },
            ].map(outcomes)
        }
        for number in 1...3 { promise.success(number) }
        promise.finish()
        #expect(crossed(Future(value: 9)) == [[.success(3)], [.success(9)]])
        #expect(crossed(Future(error: Oops.source)) == [[failure], [.success(3)]])
    }

    @available(*, deprecated)
    @Test func `completeWith links futures, streams and promises`() {
        let (source, future, first, other) = (Future(value: 2), Future<Int>(), Future<Int>(), Promise<Int>())
        let (stream, emitter) = (FutureStream<Int>(), StreamPromise<Int>())
        promise.success(1)
        future.completeWith(executionContext: immediate, future: source)
        other.completeWith(executionContext: immediate, future: source)
        first.completeWith(executionContext: immediate, stream: promise.stream)
        #expect([future, other.future, first].map(\.ended) == [.success(2), .success(2), .success(1)])
        stream.completeWith(executionContext: immediate, stream: promise.stream)
        stream.completeWith(executionContext: immediate, future: source)
        emitter.completeWith(executionContext: immediate, stream: promise.stream)
        emitter.completeWith(executionContext: immediate, future: source)
        for linked in [stream, emitter.future] { #expect(outcomes(of: linked) == [.success(1), .success(2)]) }
    }

    @available(*, deprecated)
    @Test func `results and their error have their old names`() {
        let results: [Try<Int>] = [.Success(1), .Failure(TryError.filterFailed)]
        #expect(results.map { Outcome($0) } == [.success(1), missing])
    }
}
