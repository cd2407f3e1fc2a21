@preconcurrency import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The end of a stream with a source", .watchdog)
struct StreamSourceEndTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])

    @Test(arguments: [0, 1])
    func `the release of the context before the start finishes the stream`(_ capacity: Int) {
        var context: ManualContext? = ManualContext()
        weak var released: ManualContext?
        released = context
        let heard = Box<[String]>([])
        do {
            let stream = FutureStream<Int>(capacity: capacity, context: context) { _ in heard.append("started") }
            stream.onSuccess(context: immediate) { heard.append("\($0)") }
            stream.onFinish(context: immediate) { heard.append("finished") }
        }
        context = nil
        #expect(released == nil)
        #expect(heard.value == ["finished"])
    }

    @Test(arguments: [true, false])
    func `only on an ImmediateContext is a source stopped inside its emission`(_ isImmediate: Bool) async {
        let (emits, stops, isSubscribed) = (Box<UInt>(0), Future<UInt>(), Gate())
        let context: any ExecutionContext = isImmediate ? immediate : InlineContext()
        let stream = FutureStream<Int>(capacity: 0, context: context) { emitter in
            DispatchQueue.global().async {
                // Until then, the thread that subscribes may deliver.
                isSubscribed.pass()
                emits.value = threadNumber()
                emitter.success(1)
                emits.value = 0
            }
            return CancelAction { stops.success(emits.value == threadNumber() ? 1 : 0) }
        }
        stream.take(1).onSuccess(context: immediate) { _ in }
        isSubscribed.open()
        #expect(await stops.outcome.value == (isImmediate ? 1 : 0))
    }

    @Test(arguments: [0, 1])
    func `the release of the emitter finishes a stream that only its source has kept alive`(_ capacity: Int) {
        let (kept, heard) = (Box<StreamEmitter<Int>?>(nil), Box<[String]>([]))
        func start() {
            let stream = FutureStream<Int>(capacity: capacity) { (emitter: StreamEmitter<Int>) -> CancelAction? in
                kept.value = emitter
                return CancelAction { heard.append("stopped") }
            }
            stream.onSuccess(context: immediate) { heard.append("\($0)") }
            stream.onFinish(context: immediate) { heard.append("finished") }
        }
        start()
        kept.value?.success(1)
        kept.value = nil
        #expect(heard.value.sorted() == ["1", "finished", "stopped"])
    }

    @Test func `finish delivers the elements before it, ends the stream and cancels the handle once`() {
        let (queue, token) = (ManualContext(), CancelToken())
        let stream = faucet.stream(cancelToken: token)
        stream.onSuccess(context: queue) { [heard] number in heard.append("\(number)") }
        stream.onFinish(context: queue) { [heard] in heard.append("finish") }
        faucet.emit(1, 2)
        let emitter = faucet.emitter.value
        emitter?.finish()
        #expect(stream.isFinished && token.registrationCount == 0)
        #expect(faucet.news() == ["start", "stop"])
        emitter?.finish()
        queue.run()
        #expect(heard.value == ["1", "2", "finish"])
        // Later subscribers get the end.
        stream.words(to: heard)
        #expect(heard.value == ["1", "2", "finish", "finish"])
        #expect(faucet.news() == [])
    }

    @Test(arguments: ["a closure without a result", "nil"])
    func `a source without a handle starts again, and the release of the emitter finishes the stream`(_ kind: String) {
        let (kept, starts) = (Box<StreamEmitter<Int>?>(nil), Tally())
        let start: @Sendable (StreamEmitter<Int>) -> Void = { emitter in
            starts.add()
            kept.value = emitter
        }
        let stream =
            kind == "nil"
            ? FutureStream<Int>(capacity: 0) { emitter -> CancelAction? in
                start(emitter)
                return nil
            } : FutureStream<Int>(capacity: 0, source: start)
        Listening.success.begin(on: stream)()
        stream.words(to: heard)
        #expect(starts.count == 2)
        kept.value?.success(1)
        #expect(heard.value == ["1"])
        kept.value = nil
        #expect(heard.value == ["1", "finish"])
    }

    /// The ways to end the stream while its source is being started.
    enum StartEnding: CaseIterable, Sendable {
        case release, laterRelease, finish, error, finishAndError

        var throwsError: Bool { self == .error || self == .finishAndError }
    }

    @Test(arguments: StartEnding.allCases, [0, 3])
    func `an end during the start finishes the stream and stops the source`(_ ending: StartEnding, _ capacity: Int) {
        let (starts, stops, kept) = (Tally(), Tally(), Box<StreamEmitter<Int>?>(nil))
        let stream = FutureStream<Int>(capacity: capacity) { emitter in
            starts.add()
            // Kept, because its release would also finish the stream.
            if ending != .release { kept.value = emitter }
            emitter.success(1)
            if ending == .finish || ending == .finishAndError { emitter.finish() }
            #expect(stops.count == 0)
            if ending.throwsError { throw Failure() }
            return CancelAction { stops.add() }
        }
        stream.words(to: heard)
        if ending == .laterRelease { kept.value = nil }
        // An error after the source's own finish has no effect.
        #expect(heard.value == (ending == .error ? ["1", "failure", "finish"] : ["1", "finish"]))
        stream.onSuccess(context: immediate) { _ in }
        #expect(starts.count == 1)
        #expect(stops.count == (ending.throwsError ? 0 : 1))
    }

    @Test(arguments: ["finish", "token"])
    func `finishing the stream or canceling its token ends it and stops the source at once`(_ cause: String) async {
        let token = CancelToken()
        let stream = faucet.stream(cancelToken: token)
        stream.words(to: heard)
        var iterator = stream.results.makeAsyncIterator()
        let emitter = faucet.emitter.value
        if cause == "token" { token.cancel() } else { stream.finish() }
        #expect(faucet.news() == ["start", "stop"])
        emitter?.success(1)
        #expect(heard.value == [cause == "token" ? "cancel" : "finish"])
        #expect(await iterator.word() == (cause == "token" ? "cancelled" : "end"))
        #expect(faucet.alive.count == 0 && token.registrationCount == 0)
    }

    @Test(arguments: [0, 1], [true, false])
    func `with a token canceled before any subscriber, the source does not start`(_ capacity: Int, _ isBefore: Bool) {
        let token = CancelToken()
        if isBefore { token.cancel() }
        let stream = faucet.stream(capacity: capacity, cancelToken: token)
        token.cancel()
        #expect(stream.isCancelled)
        stream.words(to: heard)
        #expect(heard.value == ["cancel"])
        #expect(faucet.news() == (isBefore || capacity == 0 ? [] : ["start", "stop"]))
        #expect(faucet.alive.count == 0)
    }

    @Test func `canceling a token during the stop cancels the stream`() {
        let (token, leaving) = (CancelToken(), CancelToken())
        let stream = faucet.stream(cancelToken: token, onStop: { token.cancel() })
        stream.words(to: heard, cancelToken: leaving)
        leaving.cancel()
        #expect(faucet.news() == ["start", "stop"])
        #expect(stream.isCancelled)
        #expect(heard.value == ["cancel"])
    }

    @Test func `an element after the source's own finish is reported, but not a late element after a stop`() async {
        await #expect(processExitsWith: .success) {
            let reports = Box<[FuturesDiagnostic]>([])
            FuturesDiagnostics.handler = { report in reports.append(report) }
            let (kept, token) = (Box<[StreamEmitter<Int>]>([]), CancelToken())
            let stream = FutureStream<Int>(capacity: 0) { emitter -> CancelAction? in
                kept.append(emitter)
                return nil
            }
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
            token.cancel()
            kept.value[0].success(1)
            stream.onSuccess(context: immediate) { _ in }
            kept.value[1].finish()
            kept.value[0].success(1)
            precondition(reports.value == [])
            kept.value[1].success(1)
            kept.value[1].failure(Failure())
            let sites = reports.value.compactMap { report -> CreationSite? in
                if case .emittedAfterFinish(let site) = report { site } else { nil }
            }
            precondition(sites.count == 2)
            precondition(sites.allSatisfy { $0.fileID.hasSuffix("StreamSourceEndTests.swift") })
            // A canceled or released stream has nothing to report.
            for cancels in [true, false] {
                let token = CancelToken()
                var other: FutureStream<Int>? = FutureStream(capacity: 1, cancelToken: token) {
                    kept.append($0)
                    return CancelAction {}
                }
                withExtendedLifetime(other) {}
                if cancels { token.cancel() }
                other = nil
                kept.value.last?.success(1)
            }
            kept.value = []
            precondition(reports.value.count == 2)
        }
    }

    @Test(arguments: [0, 1], ["new", "with a callback for its end", "used before"])
    func `a dropped stream without subscribers finishes and is released`(_ capacity: Int, _ kind: String) {
        let (ends, token) = (Tally(), CancelToken())
        var stream: FutureStream? = faucet.stream(capacity: capacity, cancelToken: token)
        weak let core = stream?.core
        #expect(faucet.alive.count == 1 + capacity)
        if kind != "new" { stream?.onFinish(context: immediate) { ends.add() } }
        if kind == "used before", let stream { Listening.success.begin(on: stream)() }
        stream = nil
        #expect(core == nil && faucet.alive.count == 0 && token.registrationCount == 0)
        #expect(faucet.news() == (capacity == 0 && kind != "used before" ? [] : ["start", "stop"]))
        #expect(ends.count == (kind == "new" ? 0 : 1))
    }

    @Test(arguments: Listening.allCases)
    func `a dropped stream is stopped, finished and released with its last subscriber`(_ listening: Listening) {
        let ends = Tally()
        var stream: FutureStream? = faucet.stream()
        weak let core = stream?.core
        stream?.onFinish(context: immediate) { ends.add() }
        let leave = stream.map { listening.begin(on: $0) }
        stream = nil
        #expect(faucet.news() == ["start"])
        leave?()
        #expect(faucet.news() == ["stop"])
        #expect(ends.count == 1)
        #expect(faucet.alive.count == 0 && core == nil)
    }

    @Test func `a dropped stream finishes with its last subscriber, although a context has yet to stop the source`() {
        let (context, token, ends) = (ManualContext(), CancelToken(), Tally())
        do {
            let stream = FutureStream<Int>(capacity: 0, context: context) { CancelAction(keeping: $0) {} }
            stream.onFinish(context: immediate) { ends.add() }
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
        }
        context.run()
        token.cancel()
        context.run()
        #expect(ends.count == 1)
    }

    @Test(arguments: [false, true])
    func `a callback for the end of a derived stream does not keep the source running`(_ isAsync: Bool) {
        let token = CancelToken()
        do {
            let stream = faucet.stream()
            let derived = isAsync ? stream.asyncMap { $0 } : stream.map(context: immediate) { $0 }
            derived.words(to: heard, cancelToken: token)
        }
        token.cancel()
        #expect(faucet.news() == ["start", "stop"])
        #expect(heard.value == ["cancel"])
    }

    @Test(arguments: [true, false])
    func `a handle that keeps the delegate keeps the emitter, without a retain cycle`(_ finishes: Bool) {
        typealias Delegate = Box<(emitter: StreamEmitter<Int>, captive: Captive)>
        let (stops, alive) = (Tally(), Tally())
        nonisolated(unsafe) weak var current: Delegate?
        var stream: FutureStream? = FutureStream<Int>(capacity: 1) { emitter in
            let delegate = Delegate((emitter, Captive(alive)))
            current = delegate
            return CancelAction(keeping: delegate) {
                // It is alive while this runs.
                #expect(alive.count == 1)
                stops.add()
            }
        }
        weak let core = stream?.core
        #expect(alive.count == 1)
        if finishes {
            stream?.words(to: heard)
            current?.value.emitter.success(1)
            #expect(heard.value == ["1"])
            current?.value.emitter.finish()
            #expect((stops.count, alive.count) == (1, 0))
        }
        stream = nil
        #expect((stops.count, alive.count) == (1, 0))
        #expect(core == nil)
    }
}
