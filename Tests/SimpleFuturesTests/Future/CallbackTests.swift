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

    private func expected(_ ending: Source.Ending) -> [String] {
        switch ending {
        case .success: ["onComplete(true)", "onSuccess(1)"]
        case .failure: ["onComplete(false)", "onFailure"]
        case .breach: ["onComplete(false)", "onFailure(broken)"]
        case .cancellation: ["onCancel"]
        }
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `each is called only for its kind of result`(ending: Source.Ending, moment: Source.Moment) {
        let log = Log<String>()
        Source.ending(ending, moment) { hear($0, log) }
        #expect(log.all == expected(ending))
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `each runs on its context, in order`(ending: Source.Ending, moment: Source.Moment) {
        let log = Log<String>()
        let context = ManualContext()
        Source.ending(ending, moment) { hear($0, log, on: context) }
        #expect(log.count == 0)
        context.run()
        #expect(log.all == expected(ending))
    }

    @Test(arguments: Source.Ending.allCases)
    func `all are released when the future has ended`(ending: Source.Ending) {
        let source = Source()
        let context = ManualContext()
        let watches = [
            Watch { probe in source.future.onComplete(context: immediate) { _ in probe.use() } },
            Watch { probe in source.future.onSuccess(context: immediate) { _ in probe.use() } },
            Watch { probe in source.future.onFailure(context: immediate) { _ in probe.use() } },
            Watch { probe in source.future.onCancel(context: immediate) { probe.use() } },
            Watch { probe in source.future.onSuccess(context: context) { _ in probe.use() } },
            Watch { probe in source.future.onFailure(context: context) { _ in probe.use() } },
            Watch { probe in source.future.onCancel(context: context) { probe.use() } },
        ]
        #expect(watches.allSatisfy { !$0.isReleased })
        source.end(ending)
        context.run()
        #expect(watches.map { $0.isReleased } == watches.map { _ in true })
        #expect(source.future.observerCount == 0)
    }

    @Test func `a context gets no task for callbacks that have nothing to run`() {
        let context = InlineContext()
        let future = Future<Int>()
        future.onFailure(context: context) { _ in }
        future.onCancel(context: context) {}
        future.success(1)
        #expect(context.count == 0)
    }

    @Test func `callbacks of one context run in the order of their registration`() {
        let (log, other) = (Log<Int>(), Log<Int>())
        let future = Future<Int>()
        let token = CancelToken()
        for number in 0..<30 {
            switch number % 3 {
            case 0: future.onComplete(context: immediate) { _ in log.add(number) }
            case 1: future.onSuccess(context: immediate, cancelToken: token) { _ in log.add(number) }
            default: future.onSuccess(context: InlineContext()) { _ in other.add(number) }
            }
        }
        future.success(1)
        for number in 30..<40 { future.onSuccess(context: immediate) { _ in log.add(number) } }
        #expect(log.all == (0..<30).filter { $0 % 3 != 2 } + Array(30..<40))
        #expect(other.all == (0..<30).filter { $0 % 3 == 2 })
    }

    @Test func `a callback registered inside another one runs last`() {
        let log = Log<Int>()
        let future = Future<Int>()
        future.onSuccess(context: immediate) { _ in
            log.add(1)
            future.onSuccess(context: immediate) { _ in log.add(3) }
        }
        future.onSuccess(context: immediate) { _ in log.add(2) }
        future.success(1)
        #expect(log.all == [1, 2, 3])
    }

    @Test func `a callback can complete another future, and read this one`() {
        let log = Log<Int>()
        let future = Future<Int>()
        let other = Future<Int>()
        other.onSuccess(context: immediate) { log.add($0) }
        future.onSuccess(context: immediate) { value in
            #expect(future.completed)
            #expect(!future.trySuccess(9))
            other.success(value + 1)
        }
        future.success(1)
        #expect(log.all == [2])
    }

    @Test func `a callback can cancel futures derived from its own`() {
        let token = CancelToken()
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let log = Log<String>()
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
        let future = Future(value: 1)
        let onMainQueue = Future<Bool>()
        future.onSuccess { _ in onMainQueue.success(MainQueue.isCurrent) }
        #expect(await onMainQueue.end() == .success(true))
    }

    @Test func `forEach is onSuccess`() {
        let log = Log<Int>()
        let token = CancelToken()
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
            .onComplete(context: immediate) { _ in heard.add("end") }
            .onCancel(context: immediate) { heard.add("cancelled") }
        let nothing: () = promise.future.onSuccess(context: immediate) { _ in heard.add("second") }
        let mapped: Future<Void> = promise.future.map(context: immediate) { _ in
            promise.future.onSuccess(context: immediate) { _ in heard.add("inner") }
        }
        let inferred = promise.future.map(context: immediate) { _ in promise.future.onFailure { _ in } }
        let _: Future<Void> = inferred
        promise.success(1)
        #expect(heard.all == ["1", "end", "second", "inner"])
        #expect(nothing == ())
        #expect(mapped.completed)
        let stream = StreamPromise<Int>()
        stream.stream
            .onSuccess(context: immediate) { heard.add("\($0)") }
            .onFailure(context: immediate) { heard.add("\($0)") }
            .onFinish(context: immediate) { heard.add("|") }
        stream.success(2)
        stream.failure(Oops.source)
        stream.finish()
        #expect(heard.all.suffix(3) == ["2", "source", "|"])
    }
}
