import SimpleFutures
import Testing
@testable import TestSupport

@Suite("onComplete, onSuccess, onFailure, onCancel", .watchdog)
struct CallbackTests {
    /// Registers callbacks of all four kinds, and records their calls.
    private func hear(_ future: Future<Int>, _ log: Log<String>, on context: any ExecutionContext = immediate) {
        future.onComplete(context: context) { log.add("onComplete(\($0.isSuccess()))") }
        future.onSuccess(context: context) { log.add("onSuccess(\($0))") }
        future.onFailure(context: context) { log.add($0 as? Oops == .source ? "onFailure" : "onFailure(broken)") }
        future.onCancel(context: context) { log.add("onCancel") }
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `each is called only for its kind of result, on its context, in order`(
        ending: Source.Ending, moment: Source.Moment
    ) {
        let (log, later, context) = (Log<String>(), Log<String>(), ManualContext())
        Source.ending(ending, moment) { future in
            hear(future, log)
            hear(future, later, on: context)
        }
        let expected =
            switch ending {
            case .success: ["onComplete(true)", "onSuccess(1)"]
            case .failure: ["onComplete(false)", "onFailure"]
            case .breach: ["onComplete(false)", "onFailure(broken)"]
            case .cancellation: ["onCancel"]
            }
        #expect(log.all == expected)
        #expect(later.all == [])
        #expect(context.pendingCount == expected.count)
        context.run()
        #expect(later.all == expected)
    }

    @Test func `a callback that cancels a future derived earlier from its own comes too late`() {
        let (token, source, log) = (CancelToken(), Future<Int>(), Log<String>())
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        derived.onCancel(context: immediate) { log.add("onCancel") }
        source.onSuccess(context: immediate) { _ in token.cancel() }
        source.success(1)
        #expect(derived.ended == .success(1))
        #expect(log.all == [])
    }

    @Test func `a CancellationError is a failure`() {
        let log = Log<String>()
        let future = Future<Int>(error: CancellationError())
        hear(future, log)
        #expect(log.all == ["onComplete(false)", "onFailure(broken)"])
        #expect(!future.isCancelled)
        #expect(future.recover(context: immediate) { _ in 2 }.ended == .success(2))
    }

    @Test func `they run on the main queue by default`() async {
        let onMainQueue = Future<Bool>()
        Future(value: 1).onSuccess { _ in onMainQueue.success(MainQueue.isCurrent) }
        #expect(await onMainQueue.end() == .success(true))
    }

    @Test func `forEach is onSuccess`() {
        let (log, token) = (Log<Int>(), CancelToken())
        Future(value: 1).forEach(context: immediate) { log.add($0) }
        Future<Int>(error: Oops.source).forEach(context: immediate) { log.add($0) }
        let pending = Future<Int>()
        pending.forEach(context: immediate, cancelToken: token) { log.add($0) }
        token.cancel()
        pending.success(2)
        #expect(log.all == [1])
    }

    @Test func `callbacks chain, and code for callbacks without a result keeps its meaning`() {
        let (heard, promise) = (Log<String>(), Promise<Int>())
        promise.future
            .onSuccess(context: immediate) { heard.add("\($0)") }
            .onFailure(context: immediate) { heard.add("\($0)") }
            .on(context: immediate, success: { heard.add("on \($0)") })
            .onComplete(context: immediate) { _ in heard.add("end") }
            .onCancel(context: immediate) { heard.add("cancelled") }
        let nothing: () = promise.future.onSuccess(context: immediate) { _ in heard.add("second") }
        let mapped: Future<Void> = promise.future.map(context: immediate) { _ in
            promise.future.onSuccess(context: immediate) { _ in heard.add("inner") }
        }
        let inferred = promise.future.map(context: immediate) { _ in promise.future.onFailure { _ in } }
        let _: Future<Void> = inferred
        promise.success(1)
        #expect(heard.all == ["1", "on 1", "end", "second", "inner"])
        #expect(nothing == ())
        #expect(mapped.completed)
        let stream = StreamPromise<Int>()
        stream.stream
            .onComplete(context: immediate) { heard.add("\($0.isSuccess())") }
            .onCancel(context: immediate) { heard.add("cancelled") }
            .onSuccess(context: immediate) { heard.add("\($0)") }
            .onFailure(context: immediate) { heard.add("\($0)") }
            .onFinish(context: immediate) { heard.add("|") }
        stream.success(2)
        stream.failure(Oops.source)
        stream.finish()
        #expect(heard.all.suffix(5) == ["true", "2", "false", "source", "|"])
    }
}
