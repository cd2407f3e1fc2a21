import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A source that uses its stream", .watchdog)
struct StreamSourceReentrancyTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])

    @Test func `the start registers callbacks, which get what comes`() {
        let own = Box<FutureStream<Int>?>(nil)
        own.value = faucet.stream(onStart: { [heard] emitter in
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
        own.value = nil
    }

    @Test func `whoever leaves inside of the start has it stopped when it has started`() {
        let token = CancelToken()
        let stream = faucet.stream(onStart: { emitter in
            token.cancel()
            emitter.success(1)
        })
        stream.words(to: heard, cancelToken: token)
        #expect(heard.value == [])
        #expect(faucet.news() == ["start", "stop"])
        stream.finish()
    }

    @Test func `whoever comes inside of the start, after all have left, has it started again`() {
        let own = Box<FutureStream<Int>?>(nil)
        let token = CancelToken()
        let starts = Tally()
        own.value = faucet.stream(onStart: { [heard] emitter in
            starts.add()
            if starts.count == 1 {
                token.cancel()
                own.value?.words(to: heard)
            }
            emitter.success(starts.count)
        })
        own.value?.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in }
        #expect(faucet.news() == ["start", "stop", "start"])
        #expect(heard.value == ["2"])
        own.value?.finish()
        own.value = nil
    }

    @Test func `whoever comes inside of the stop has it started again when it has stopped`() {
        let own = Box<FutureStream<Int>?>(nil)
        let stops = Tally()
        own.value = faucet.stream(onStop: { [heard, faucet] in
            stops.add()
            guard stops.count == 1 else { return }
            own.value?.words(to: heard)
            faucet.note("still stopping")
        })
        Listening.success.begin(on: own.value!)()
        #expect(faucet.news() == ["start", "stop", "still stopping", "start"])
        faucet.emit(1)
        #expect(heard.value == ["1"])
        faucet.emitter.value?.finish()
        own.value = nil
    }

    @Test func `the stream may be dropped inside of the start and of the stop`() {
        for where_ in ["start", "stop"] {
            let own = Box<FutureStream<Int>?>(nil)
            own.value = faucet.stream(
                onStart: { _ in if where_ == "start" { own.value = nil } },
                onStop: { if where_ == "stop" { own.value = nil } })
            weak let core = own.value?.core
            if let stream = own.value { Listening.success.begin(on: stream)() }
            #expect(faucet.news() == ["start", "stop"])
            #expect(core == nil, "\(where_)")
            #expect(faucet.alive.count == 0, "\(where_)")
        }
    }

    @Test func `a callback that leaves at the first element gets one, and stops it`() {
        let token = CancelToken()
        let stream = faucet.stream(onStart: { emitter in for number in 1...3 { emitter.success(number) } })
        stream.onSuccess(context: ImmediateContext(), cancelToken: token) { [heard] number in
            heard.change { $0.append("\(number)") }
            token.cancel()
        }
        #expect(heard.value == ["1"])
        #expect(faucet.news() == ["start", "stop"])
    }

    @Test func `inside of a callback of the library it is started and stopped at once`() {
        let stream = faucet.stream()
        Future(value: 1).onSuccess(context: ImmediateContext()) { [faucet] _ in
            let leave = Listening.success.begin(on: stream)
            #expect(faucet.news() == ["start"])
            leave()
            #expect(faucet.news() == ["stop"])
        }
    }

    @Test func `an element that stops the source as it is released does no harm`() {
        final class Bomb: Sendable {
            let token: CancelToken
            init(_ token: CancelToken) { self.token = token }
            deinit { token.cancel() }
        }
        let token = CancelToken()
        let kept = Box<StreamEmitter<Bomb>?>(nil)
        let stops = Tally()
        let stream = FutureStream<Bomb>(capacity: 1, cancelToken: token) { emitter in
            kept.value = emitter
            return CancelAction { stops.add() }
        }
        kept.value?.success(Bomb(token))
        kept.value?.success(Bomb(CancelToken()))
        #expect(stream.isCancelled)
        #expect(stops.count == 1)
    }

    @Test func `captures that use the stream as they are released do no harm`() {
        final class Farewell: Sendable {
            let stream = Box<FutureStream<Int>?>(nil)
            let token = CancelToken()
            deinit {
                token.cancel()
                stream.value?.onSuccess(context: ImmediateContext()) { _ in }
                stream.value?.finish()
            }
        }
        let kept = Box<StreamEmitter<Int>?>(nil)
        let makeStream = { (farewell: Farewell) in
            FutureStream<Int>(capacity: 0, cancelToken: farewell.token) { emitter in
                kept.value = emitter
                return CancelAction(keeping: farewell) { kept.value = nil }
            }
        }
        weak var core: StreamCore?
        do {
            let farewell = Farewell()
            let stream = makeStream(farewell)
            core = stream.core
            Listening.success.begin(on: stream)()
        }
        #expect(core == nil)
    }
}
