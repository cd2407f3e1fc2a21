import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: flatMap and recoverWith to Future and to FutureStream", .watchdog)
struct StreamFlatteningTests {
    private let source = FutureStream<Int>()

    private static let combinators = StreamCombinator.all.filter { $0.inner != nil && $0.name != latest }
    private static let latest = "flatMapLatest to a stream"

    /// Emits the element for which a combinator's closure runs, or the other one, which is passed on.
    private func emit(_ combinator: StreamCombinator, isPassedOn: Bool = false) -> Heard<Int> {
        let isValue = (combinator.runs == .value) != isPassedOn
        isValue ? source.success(1) : source.failure(Oops.source)
        return isValue ? 1 : .failure(Oops.source)
    }

    @Test(arguments: combinators.filter { $0.inner == .future })
    func `results are emitted when the futures complete, and the finish after the last one`(
        _ combinator: StreamCombinator
    ) {
        let futures = (0..<4).map { _ in Future<Int>() }
        let runs = Box(0)
        let inner = Use.Inner(future: {
            runs.increment()
            return futures[runs.value - 1]
        })
        let derived = combinator.apply(to: source, inner: inner)
        for _ in futures { _ = emit(combinator) }
        let other = emit(combinator, isPassedOn: true)
        futures[2].success(2)
        futures[0].failure(Oops.other)
        source.finish()
        #expect(derived.state == [other, 2, .failure(Oops.other)])
        futures[3].success(3)
        #expect(!derived.isFinished)
        futures[1].success(1)
        #expect(derived.state == [other, 2, .failure(Oops.other), 3, 1, .finish])
        // A failure of an inner future is not recovered.
        #expect(runs.value == 4)
    }

    @Test(arguments: combinators.filter { $0.inner == .stream })
    func `elements are emitted when the inner streams emit them, and the finish after the last one`(
        _ combinator: StreamCombinator
    ) {
        let streams = (0..<3).map { _ in FutureStream<Int>(capacity: 0) }
        let runs = Box(0)
        let inner = Use.Inner(stream: {
            runs.increment()
            return streams[runs.value - 1]
        })
        let derived = combinator.apply(to: source, inner: inner)
        streams[0].success(-1)
        for _ in 0..<2 { _ = emit(combinator) }
        streams[1].success(11)
        streams[0].success(1)
        streams[0].failure(Oops.other)
        let other = emit(combinator, isPassedOn: true)
        _ = emit(combinator)
        streams[2].success(21)
        streams[0].finish()
        source.finish()
        streams[1].success(12)
        streams[2].finish()
        #expect(!derived.isFinished)
        streams[1].finish()
        #expect(derived.state == [11, 1, .failure(Oops.other), other, 21, 12, .finish])
    }

    @Test(arguments: [true, false])
    func `the derived stream itself as an inner stream is an invalid completion, and reported`(isLatest: Bool) {
        let box = Box<FutureStream<Int>?>(nil)
        let derived: FutureStream<Int> =
            isLatest
            ? source.flatMapLatest(context: immediate) { _ in box.value ?? FutureStream() }
            : source.flatMap(context: immediate) { _ in box.value ?? FutureStream() }
        box.value = derived
        let reports = Reports.during { log in
            source.success(1)
            return log.all
        }
        source.finish()
        #expect(derived.state == [.failure(FuturesError.invalidCompletion), .finish])
        #expect(reports.contains(.completedWithItself(createdAt: nil)))
        box.value = nil
    }

    @Test func `the source itself can be an inner stream`() {
        let derived = source.flatMap(context: immediate) { [source] value in
            value == 1 ? source : FutureStream(value: value)
        }
        source.success(1)
        source.success(2)
        source.finish()
        #expect(derived.state.filter { $0 == 1 }.count == 1)
        #expect(derived.state.filter { $0 == 2 }.count == 2)
        #expect(derived.isFinished)
    }

    // `CancelInEveryStateTests` cancels the token.
    @Test func `the inner futures and streams are subscribed under the same token`() {
        let (token, future, stream) = (CancelToken(), Future<Int>(), FutureStream<Int>())
        let derived = [
            source.flatMap(context: immediate, cancelToken: token) { _ in future },
            source.flatMap(context: immediate, cancelToken: token) { _ in stream },
        ]
        source.success(1)
        source.finish()
        #expect(token.registrationCount == 2)
        #expect(future.cancel(token) && stream.cancel(token))
        #expect(future.observerCount == 0 && stream.core.subscriberCount == 0)
        #expect(derived.map(\.state) == [[.cancel], [.cancel]])
    }

    @Test func `inner futures and streams are released when the derived stream ends, and no more are made`() {
        let (future, stream, runs) = (Future<Int>(), FutureStream<Int>(), Box(0))
        let derived = [
            source.flatMap(context: immediate) { _ in future },
            source.flatMap(context: immediate) { _ in
                runs.increment()
                return stream
            },
        ]
        source.success(1)
        source.success(2)
        #expect(future.observerCount == 2 && stream.core.subscriberCount == 2)
        for stream in derived { stream.finish() }
        #expect(future.observerCount == 0 && stream.core.subscriberCount == 0)
        #expect(source.core.subscriberCount == 0)
        source.success(3)
        #expect(runs.value == 2)
    }

    @Test func `if the new stream ends while it gets an inner future, nothing stays registered`() {
        race(rounds: Stress.rounds(12_000)) {
            let (source, token, inner) = (FutureStream<Int>(capacity: 0), CancelToken(), Future<Int>())
            let derived = source.flatMap(context: immediate, cancelToken: token) { _ in inner }
            return (source: source, token: token, inner: inner, derived: derived)
        } _: { arena in
            arena.derived.finish()
        } _: { arena in
            arena.source.success(1)
        } check: { arena in
            try verify(arena.token.registrationCount == 0, "the token has \(arena.token.registrationCount)")
            try verify(arena.inner.observerCount == 0, "the inner future has \(arena.inner.observerCount)")
        }
    }
}

@Suite("FutureStream: flatMapLatest", .watchdog)
struct StreamLatestTests {
    private let source = FutureStream<Int>(capacity: 0)
    private let inner = (0..<3).map { _ in FutureStream<String>(capacity: 0) }

    @Test func `a future's result is emitted, except for futures of earlier values`() {
        let futures = (0..<2).map { _ in Future<String>() }
        let log = source.flatMapLatest(context: immediate) { futures[$0] }.heard()
        source.success(0)
        source.success(1)
        futures[0].success("lost")
        futures[1].success("heard")
        #expect(log.all == ["heard"])
    }

    @Test func `a new value unsubscribes from the former inner object before the closure runs`() {
        let (future, counts) = (Future<Int>(), Log<[Int]>())
        let watch = Watch { probe in
            let target = source.flatMapLatest(context: immediate) { [inner] in
                counts.add([inner[0].core.subscriberCount, inner[1].core.subscriberCount])
                return inner[$0].map(context: immediate) { value in
                    probe.use()
                    return value
                }
            }
            let other = source.flatMapLatest(context: immediate) { _ in
                counts.add([future.observerCount])
                return future
            }
            source.success(0)
            source.success(1)
            source.success(0)
            withExtendedLifetime((target, other)) {}
        }
        #expect(counts.all == Array(repeating: [[0, 0], [0]], count: 3).flatMap { $0 })
        source.finish()
        for stream in inner { stream.finish() }
        future.success(1)
        #expect(watch.isReleased)
    }

    @Test(arguments: ["next", "failure", "token", "unsubscribed", "finished", "completed", "thrown"])
    func `the token for the work of an inner future is canceled when its result is not wanted`(_ way: String) {
        let (token, mine, tokens, works) = (CancelToken(), CancelToken(), Log<CancelToken>(), Log<Promise<String>>())
        let log = Log<String>()
        var target: FutureStream<String>? = source.flatMapLatest(context: immediate, cancelToken: token) { _, token in
            tokens.add(token)
            if way == "thrown" { throw Oops.thrown }
            works.add(Promise())
            return works.all.last!.future.map(context: immediate, cancelToken: token) { $0 }
        }
        target?.onSuccess(context: immediate, cancelToken: mine) { log.add($0) }
        source.success(0)
        switch way {
        case "next": source.success(1)
        case "failure": source.failure(Oops.other)
        case "token": token.cancel()
        case "finished": target?.finish()
        case "completed": works.all[0].success("a")
        default: break
        }
        target = nil
        if way == "unsubscribed" { mine.cancel() }
        #expect(tokens.all[0].isCancelled == !["failure", "completed"].contains(way))
        for (promise, letter) in zip(works.all, ["a", "b"]) { promise.trySuccess(letter) }
        let expected = ["next": ["b"], "failure": ["a"], "completed": ["a"]]
        #expect(log.all == expected[way] ?? [] && (tokens.count == 1 || !tokens.all[1].isCancelled))
        source.finish()
    }

    @Test func `work for a value ends before the next one begins, and its handlers go with it`() {
        let (log, works) = (Log<String>(), (0..<2).map { _ in Promise<Int>() })
        let target = source.flatMapLatest(context: immediate) { value, token in
            log.add("start \(value)")
            let captive = AtDeinit { log.add("released \(value)") }
            token.onCancel { withExtendedLifetime(captive) { log.add("stop \(value)") } }
            return works[value].future
        }
        target.onSuccess(context: immediate) { log.add("value \($0)") }
        source.success(0)
        source.success(1)
        works[1].success(1)
        #expect(log.all == ["start 0", "stop 0", "released 0", "start 1", "value 1", "released 1"])
        source.finish()
    }

    @Test(arguments: ["cancels", "finishes", "leaves"])
    func `no work begins if a handler of the former one ends the stream`(_ way: String) {
        let (log, token, mine, stream) = (Log<Int>(), CancelToken(), CancelToken(), Box<FutureStream<Int>?>(nil))
        let pending = Promise<Int>()
        stream.value = source.flatMapLatest(context: immediate, cancelToken: token) { value, work in
            log.add(value)
            work.onCancel {
                switch way {
                case "cancels": token.cancel()
                case "finishes": stream.value?.finish()
                default: mine.cancel()
                }
            }
            return pending.future
        }
        stream.value?.onSuccess(context: immediate, cancelToken: mine) { _ in }
        if way == "leaves" { stream.value = nil }
        source.success(0)
        source.success(1)
        #expect(log.all == [0])
        stream.value = nil
    }

    @Test func `nil is no inner stream`() {
        let log = source.flatMapLatest(context: immediate) { $0 == 0 ? nil : Future(value: $0) }.heard()
        let all = source.flatMap(context: immediate) { $0 == 1 ? nil : FutureStream(value: $0) }.heard()
        let recovered = source.recoverWith(context: immediate) { _ in nil as Future<Int>? }.heard()
        for value in 0..<3 { source.success(value) }
        source.failure(Oops.thrown)
        source.finish()
        let oops = Heard<Int>(.failure(Oops.thrown))
        #expect(log.all == [1, 2, oops, .finish] && all.all == [0, 2, oops, .finish])
        #expect(recovered.all == [0, 1, 2, .finish])
    }

    @Test func `an element for an earlier value that was on its way is not emitted`() {
        let core = source.core
        let earlier = core.beginRun()
        let latest = core.beginRun()
        #expect(core.emit(Try.success(1), run: earlier) == nil)
        #expect(core.emit(Try.success(2), run: latest) == .accepted)
    }
}
