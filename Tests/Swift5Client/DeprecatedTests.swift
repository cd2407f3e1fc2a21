import SimpleFutures
import Testing
@testable import TestSupport

/// The calls with old spellings, behind a protocol, so that the tests use them without a warning.
private protocol OldCode {
    func register(on future: Future<Int>, context: any ExecutionContext, log: Log<String>)
    func derive(from future: Future<Int>, context: any ExecutionContext, log: Log<String>) -> [Future<Int>]
    func link(_ future: Future<Int>, to target: Future<Int>, and promise: Promise<Int>)
    func results() -> [Try<Int>]
}

private struct OldSpellings: OldCode {
    @available(*, deprecated)
    func register(on future: Future<Int>, context: any ExecutionContext, log: Log<String>) {
        future.onComplete(executionContext: context) { log.add("complete \(Outcome($0))") }
        future.onSuccess(executionContext: context) { log.add("success \($0)") }
        future.onFailure(executionContext: context) { log.add("failure \($0)") }
        future.foreach(executionContext: context) { log.add("each \($0)") }
    }

    @available(*, deprecated)
    func derive(from future: Future<Int>, context: any ExecutionContext, log: Log<String>) -> [Future<Int>] {
        [
            future.flatmap(executionContext: context) { Future(value: $0 + 1) },
            future.recoverWith(executionContext: context) { _ in Future(value: 5) },
            future.withFilter(executionContext: context) { $0 > 1 },
            future.andThen(executionContext: context) { log.add("then \(Outcome($0))") },
            future.map(executionContext: context) { $0 > 1 ? Try($0) : Try(Oops.other) },
            future.recover(executionContext: context) { _ in Try(6) },
        ]
    }

    @available(*, deprecated)
    func link(_ future: Future<Int>, to target: Future<Int>, and promise: Promise<Int>) {
        target.completeWith(executionContext: immediate, future: future)
        promise.completeWith(executionContext: immediate, future: future)
    }

    @available(*, deprecated)
    func results() -> [Try<Int>] { [.Success(1), .Failure(TryError.filterFailed)] }
}

@Suite("Old spellings", .watchdog)
struct DeprecatedTests {
    private let code: any OldCode = OldSpellings()
    private let log = Log<String>()

    @Test func `callbacks run on their context`() {
        let context = InlineContext()
        code.register(on: Future(value: 1), context: context, log: log)
        code.register(on: Future(error: Oops.source), context: context, log: log)
        let complete = [Outcome.success(1), .failure(Oops.source)].map { "complete \($0)" }
        #expect(log.all == [complete[0], "success 1", "each 1", complete[1], "failure source"])
        #expect(context.count == 5)
    }

    @Test func `derived futures are the same as with today's names`() {
        let context = InlineContext()
        let succeeded = code.derive(from: Future(value: 1), context: context, log: log).map(\.ended)
        #expect(
            succeeded == [
                .success(2), .success(1), .failure(FuturesError.noSuchElement), .success(1), .failure(Oops.other),
                .success(1),
            ])
        #expect(context.count == 4)
        let failed = code.derive(from: Future(error: Oops.source), context: context, log: log).map(\.ended)
        let failure = Outcome<Int>.failure(Oops.source)
        #expect(failed == [failure, .success(5), failure, failure, failure, .success(6)])
        #expect(context.count == 7)
    }

    @Test func `andThen passes the value or error to its closure before its future completes`() {
        for result in [Try(1), Try<Int>(Oops.source)] {
            let promise = Promise<Int>()
            let log = Log<String>()
            let derived = code.derive(from: promise.future, context: immediate, log: log)[3]
            derived.onComplete(context: immediate) { _ in log.add("derived") }
            promise.complete(result)
            #expect(log.all == ["then \(Outcome(result))", "derived"])
            #expect(derived.ended == Outcome(result))
        }
    }

    @Test func `completeWith links futures and promises`() {
        let target = Future<Int>()
        let promise = Promise<Int>()
        code.link(Future(value: 1), to: target, and: promise)
        #expect(target.ended == .success(1))
        #expect(promise.future.ended == .success(1))
    }

    @Test func `results and their error have their old names`() {
        #expect(code.results().map { Outcome($0) } == [.success(1), .failure(FuturesError.noSuchElement)])
    }
}
