import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A stream starts its source for its subscribers", .watchdog)
final class StreamSourceTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])
    /// For sources that use their stream.
    private let own = Box<FutureStream<Int>?>(nil)

    // So that no source runs forever.
    deinit {
        faucet.emitter.value?.finish()
        own.value = nil
    }

    @Test(arguments: Listening.allCases)
    func `without replay the first subscriber starts the source and the last one stops it`(_ listening: Listening) {
        let stream = faucet.stream()
        #expect(faucet.news() == [])
        let leave = listening.begin(on: stream)
        #expect(faucet.news() == ["start"])
        let leaveToo = listening.begin(on: stream)
        leave()
        #expect(faucet.news() == [])
        leaveToo()
        #expect(faucet.news() == ["stop"])
        listening.begin(on: stream)()
        #expect(faucet.news() == ["start", "stop"])
        #expect(!stream.isFinished && !stream.isCancelled && faucet.emitter.value == nil)
        // Between two runs only the closure that starts it is held.
        #expect(faucet.alive.count == 1)
    }

    @Test func `leaving a loop or canceling its task stops the source, unless there is another loop`() async throws {
        let stream = faucet.stream(onStart: { for number in 1...3 { $0.success(number) } })
        for try await number in stream.values where number == 2 { break }
        #expect(faucet.news() == ["start", "stop"])
        for await result in stream.results where result.value == 3 { break }
        #expect(faucet.news() == ["start", "stop"])
        func loop(besides others: Int) async {
            let loop = Task { for try await _ in stream.values {} }
            await until { stream.core.subscriberCount == others + 1 && faucet.emitter.value != nil }
            loop.cancel()
            _ = await loop.result
            #expect(stream.core.subscriberCount == others)
        }
        await loop(besides: 0)
        #expect(faucet.news() == ["start", "stop"])
        for try await _ in stream.subscription() {
            await loop(besides: 1)
            #expect(faucet.news() == ["start"])
            break
        }
        #expect(faucet.news() == ["stop"])
    }

    @Test func `with a replay buffer the source starts at once, so that no element is missed`() {
        let stream = faucet.stream(capacity: 2)
        #expect(faucet.news() == ["start"])
        faucet.emit(1, 2, 3)
        let token = CancelToken()
        stream.words(to: heard, cancelToken: token)
        faucet.emit(4)
        #expect(heard.value == ["2", "3", "4"])
        #expect(faucet.news() == [])
        token.cancel()
        #expect(faucet.news() == ["stop"])
        // The subscribers are gone, the buffer remains; a callback for the end does not start the source.
        #expect(stream.count == 2)
        stream.onFinish(context: immediate) {}
        #expect(faucet.news() == [])
        stream.words(to: heard)
        #expect(faucet.news() == ["start"])
        #expect(heard.value == ["2", "3", "4", "3", "4"])
    }

    @Test func `a source of Void emits without an argument`() {
        let count = Tally()
        FutureStream<Void>(capacity: 0) { emitter in emitter.success() }
            .onSuccess(context: immediate) { count.add() }
        #expect(count.count == 1)
    }

    @Test(arguments: [0, 2]) func `elements emitted during the start reach the first subscriber`(_ capacity: Int) {
        let stream = faucet.stream(capacity: capacity, onStart: { for number in 1...2 { $0.success(number) } })
        #expect(stream.futures.map { $0.result?.value } == (capacity == 0 ? [] : [1, 2]))
        stream.words(to: heard)
        #expect(heard.value == ["1", "2"])
    }

    @Test(arguments: [true, false])
    func `the emitter of a stopped run has no effect, whether used or released`(_ isUsed: Bool) {
        let stream = faucet.stream()
        let leave = Listening.success.begin(on: stream)
        var late = faucet.emitter.value
        leave()
        stream.words(to: heard)
        if isUsed {
            late?.success(1)
            late?.failure(Failure())
            late?.finish()
        }
        withExtendedLifetime(late) {}
        late = nil
        #expect(!stream.isFinished)
        faucet.emit(2)
        #expect(heard.value == ["2"])
        #expect(faucet.news() == ["start", "stop", "start"])
    }

    @Test func `callbacks that the start registers receive the following elements`() {
        own.value = faucet.stream(onStart: { [own, heard] emitter in
            emitter.success(1)
            own.value?.words(to: heard)
            emitter.success(2)
        })
        let leave = Listening.success.begin(on: own.value!)
        #expect(heard.value == ["2"])
        leave()
        #expect(faucet.news() == ["start"])
        faucet.emitter.value?.finish()
        #expect(heard.value == ["2", "finish"])
        #expect(faucet.news() == ["stop"])
    }

    @Test(arguments: [true, false])
    func `an unsubscription or a cancellation during the start stops the source afterwards`(_ leaves: Bool) {
        let (token, leaving) = (CancelToken(), CancelToken())
        let stream = faucet.stream(
            cancelToken: token,
            onStart: {
                if leaves { leaving.cancel() } else { token.cancel() }
                $0.success(1)
            })
        stream.words(to: heard, cancelToken: leaving)
        #expect(heard.value == (leaves ? [] : ["cancel"]))
        #expect(faucet.news() == ["start", "stop"])
        stream.finish()
        #expect(faucet.alive.count == 0)
    }

    @Test func `a subscription during the start, after all others have left, starts the source again`() {
        let (token, starts) = (CancelToken(), Tally())
        own.value = faucet.stream(onStart: { [own, heard] emitter in
            starts.add()
            if starts.count == 1 {
                token.cancel()
                own.value?.words(to: heard)
            }
            emitter.success(starts.count)
        })
        own.value?.onSuccess(context: immediate, cancelToken: token) { _ in }
        #expect(faucet.news() == ["start", "stop", "start"])
        #expect(heard.value == ["2"])
    }

    @Test func `a subscription during the stop starts the source again afterwards`() {
        let stops = Tally()
        own.value = faucet.stream(onStop: { [own, heard, faucet] in
            stops.add()
            guard stops.count == 1 else { return }
            own.value?.words(to: heard)
            faucet.note("still stopping")
        })
        Listening.success.begin(on: own.value!)()
        #expect(faucet.news() == ["start", "stop", "still stopping", "start"])
        faucet.emit(1)
        #expect(heard.value == ["1"])
    }

    @Test(arguments: ["start", "stop"])
    func `the stream can be released during the start and the stop`(_ moment: String) {
        own.value = faucet.stream(
            onStart: { [own] _ in if moment == "start" { own.value = nil } },
            onStop: { [own] in if moment == "stop" { own.value = nil } })
        weak let core = own.value?.core
        if let stream = own.value { Listening.success.begin(on: stream)() }
        #expect(faucet.news() == ["start", "stop"])
        #expect(core == nil && faucet.alive.count == 0)
    }

    @Test func `inside a callback of the library the source starts and stops at once`() {
        let stream = faucet.stream()
        Future(value: 1).onSuccess(context: immediate) { [faucet] _ in
            let leave = Listening.success.begin(on: stream)
            #expect(faucet.news() == ["start"])
            leave()
            #expect(faucet.news() == ["stop"])
        }
    }

    @Test func `an element whose release stops the source does no harm`() async {
        let (token, kept, stops) = (CancelToken(), Box<StreamEmitter<AtDeinit>?>(nil), Tally())
        let stream = FutureStream<AtDeinit>(capacity: 1, cancelToken: token) { emitter in
            kept.value = emitter
            return CancelAction { stops.add() }
        }
        kept.value?.success(AtDeinit { token.cancel() })
        kept.value?.success(AtDeinit {})
        #expect(stream.isCancelled)
        await until { stops.count == 1 }
    }

    @Test(arguments: [true, false])
    func `captures whose release uses the stream do no harm`(_ finishes: Bool) {
        let (kept, token) = (Box<StreamEmitter<Int>?>(nil), CancelToken())
        weak var core: StreamCore?
        do {
            let farewell = AtDeinit { [own] in
                token.cancel()
                own.value?.onSuccess(context: immediate) { _ in }
                own.value?.finish()
                own.value = nil
            }
            let stream = FutureStream<Int>(capacity: 0, cancelToken: token) { emitter in
                kept.value = emitter
                return CancelAction(keeping: farewell) { kept.value = nil }
            }
            core = stream.core
            Listening.success.begin(on: stream)()
            // The captures of the source are part of a cycle until the stream ends.
            if finishes { own.value = stream }
            if finishes { stream.finish() }
        }
        #expect(core == nil)
    }

    @Test func `a start that throws after its subscriber has left can be repeated`() {
        let (token, starts, values) = (CancelToken(), Tally(), Box<[Int]>([]))
        let stream = FutureStream<Int>(capacity: 0) { emitter -> CancelAction? in
            starts.add()
            if starts.count == 1 {
                token.cancel()
                throw Failure()
            }
            emitter.success(starts.count)
            return nil
        }
        stream.onSuccess(context: immediate, cancelToken: token) { _ in }
        #expect(starts.count == 1 && !stream.isFinished)
        stream.onSuccess(context: immediate) { values.append($0) }
        #expect(values.value == [2])
    }

    @Test func `a source that drops its emitter is stopped, even if its stream goes on with another one`() {
        let (stops, emitter, other) = (Tally(), Box<StreamEmitter<Int>?>(nil), StreamPromise<Int>())
        let stream = FutureStream<Int>(capacity: 1) {
            emitter.value = $0
            return CancelAction { stops.add() }
        }
        stream.completeWith(stream: other.stream)
        emitter.value = nil
        #expect(stops.count == 1 && !stream.isFinished)
        other.finish()
        #expect(stops.count == 1 && stream.isFinished)
    }

    @Test func `a context that runs tasks twice starts and stops the source once`() {
        let log = Log<String>()
        let stream = FutureStream<Int>(capacity: 0, context: RepeatingContext()) { emitter in
            log.add("start")
            return CancelAction(keeping: emitter) { log.add("stop") }
        }
        Listening.success.begin(on: stream)()
        #expect(log.all == ["start", "stop"])
    }

    @Test(arguments: [nil, ImmediateContext(), InlineContext()] as [(any ExecutionContext)?])
    func `a source that makes subscribers join and leave needs constant stack`(_ context: (any ExecutionContext)?) {
        let (token, rounds) = (Box(CancelToken()), Tally())
        let count = Stress.size(2_000, full: 100_000)
        let listen: @Sendable () -> Void = { [own] in
            token.value = CancelToken()
            own.value?.onSuccess(context: immediate, cancelToken: token.value) { _ in }
        }
        own.value = FutureStream(capacity: 0, context: context) { emitter in
            token.value.cancel()
            return CancelAction {
                withExtendedLifetime(emitter) {}
                rounds.add()
                if rounds.count < count { listen() }
            }
        }
        onSmallStack { listen() }
        #expect(rounds.count == count)
        own.value?.finish()
    }
}
