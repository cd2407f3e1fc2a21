import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("What a stream with a source keeps alive", .watchdog)
struct StreamSourceReleaseTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])

    @Test func `one that was never started is released when it is dropped`() {
        var stream: FutureStream? = faucet.stream()
        weak let core = stream?.core
        #expect(faucet.alive.count == 1)
        stream = nil
        #expect(core == nil)
        #expect(faucet.alive.count == 0)
        #expect(faucet.news() == [])
    }

    @Test func `one that runs is stopped when it is dropped and nothing is registered`() {
        var stream: FutureStream? = faucet.stream(capacity: 1)
        weak let core = stream?.core
        #expect(faucet.alive.count == 2)
        stream = nil
        #expect(faucet.news() == ["start", "stop"])
        #expect(faucet.alive.count == 0)
        #expect(core == nil)
    }

    @Test func `one that is dropped goes on for those who listen`() {
        let token = CancelToken()
        var stream: FutureStream? = faucet.stream()
        weak let core = stream?.core
        stream?.words(to: heard)
        stream?.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in }
        stream = nil
        token.cancel()
        faucet.emit(1)
        #expect(heard.value == ["1"])
        #expect(faucet.news() == ["start"])
        faucet.emitter.value?.finish()
        #expect(heard.value == ["1", "finish"])
        #expect(faucet.news() == ["stop"])
        #expect(faucet.alive.count == 0)
        #expect(core == nil)
    }

    @Test(arguments: Listening.allCases)
    func `one that is dropped is stopped and released when the last one leaves`(_ listening: Listening) {
        var stream: FutureStream? = faucet.stream()
        weak let core = stream?.core
        let leave = stream.map { listening.begin(on: $0) }
        stream = nil
        #expect(faucet.news() == ["start"])
        leave?()
        #expect(faucet.news() == ["stop"])
        #expect(faucet.alive.count == 0)
        #expect(core == nil)
    }

    @Test func `a stream that its own source keeps is released when it ends`() {
        let token = CancelToken()
        let stream = Box<FutureStream<Int>?>(nil)
        stream.value = faucet.stream(capacity: 1, cancelToken: token, onStart: { _ in _ = stream.value })
        weak let core = stream.value?.core
        token.cancel()
        #expect(faucet.alive.count == 0)
        stream.value = nil
        #expect(core == nil)
    }

    @Test func `between two runs nothing of the first is kept`() {
        let stream = faucet.stream()
        Listening.success.begin(on: stream)()
        // The closure that starts it alone.
        #expect(faucet.alive.count == 1)
        withExtendedLifetime(stream) {}
    }

    @Test func `a handle that keeps the delegate keeps the emitter, and is no cycle`() {
        final class Delegate: Sendable {
            let emitter: StreamEmitter<Int>
            let captive: Captive
            init(_ emitter: StreamEmitter<Int>, _ captive: Captive) {
                self.emitter = emitter
                self.captive = captive
            }
        }
        let (stops, alive) = (Tally(), Tally())
        let current = Box<Weak<Delegate>?>(nil)
        let makeStream = {
            FutureStream<Int>(capacity: 1) { emitter in
                let delegate = Delegate(emitter, Captive(alive))
                current.value = Weak(delegate)
                return CancelAction(keeping: delegate) {
                    // It is there while this runs.
                    #expect(alive.count == 1)
                    stops.add()
                }
            }
        }
        var stream: FutureStream? = makeStream()
        weak let core = stream?.core
        stream?.words(to: heard)
        #expect(alive.count == 1)
        current.value?.object?.emitter.success(1)
        #expect(heard.value == ["1"])
        current.value?.object?.emitter.finish()
        #expect((stops.count, alive.count) == (1, 0))
        stream = nil
        #expect(core == nil)

        stream = makeStream()
        #expect(alive.count == 1)
        stream = nil
        #expect((stops.count, alive.count) == (2, 0))
    }

    @Test func `an action that has run keeps nothing but itself`() {
        let alive = Tally()
        let runs = Tally()
        var action: CancelAction? = CancelAction(keeping: Captive(alive)) { runs.add() }
        #expect(alive.count == 1)
        action?.cancel()
        #expect(runs.count == 1)
        action = nil
        #expect(alive.count == 0)
    }
}

private struct Weak<Object: AnyObject & Sendable>: Sendable {
    weak let object: Object?

    init(_ object: Object) { self.object = object }
}
