import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: flatMapLatest", .watchdog)
struct StreamLatestTests {
    private let source = FutureStream<Int>(capacity: 0)
    private let inner = (0..<3).map { _ in FutureStream<String>(capacity: 0) }

    // The marble diagram of the documentation.
    @Test func `a value unsubscribes from the stream of the previous value`() {
        let derived = source.flatMapLatest(context: immediate) { [inner] in inner[$0] }
        let log = Log<String>()
        derived.onSuccess(context: immediate) { log.add($0) }
        derived.onFinish(context: immediate) { log.add("|") }
        source.success(0)
        inner[0].success("a")
        inner[0].success("b")
        source.success(1)
        inner[0].success("lost")
        inner[1].success("c")
        inner[1].finish()
        source.success(2)
        inner[2].success("d")
        source.finish()
        inner[2].success("e")
        inner[2].finish()
        #expect(log.all == ["a", "b", "c", "d", "e", "|"])
        #expect(inner[0].core.subscriberCount == 0)
    }

    @Test func `a future's result is emitted, except for futures of earlier values`() {
        let futures = (0..<2).map { _ in Future<String>() }
        let derived = source.flatMapLatest(context: immediate) { futures[$0] }
        let log = Log<String>()
        derived.onSuccess(context: immediate) { log.add($0) }
        source.success(0)
        source.success(1)
        futures[0].success("lost")
        futures[1].success("heard")
        #expect(log.all == ["heard"])
    }

    @Test func `failures of both are passed on and do not unsubscribe`() {
        let derived = source.flatMapLatest(context: immediate) { [inner] value -> FutureStream<String> in
            if value == 2 { throw Oops.thrown }
            return inner[value]
        }
        let log = Log<Outcome<String>>()
        derived.onComplete(context: immediate) { log.add(Outcome($0)) }
        source.success(0)
        source.failure(Oops.source)
        inner[0].failure(Oops.other)
        inner[0].success("a")
        source.success(2)
        inner[0].success("lost")
        source.success(1)
        inner[1].success("b")
        #expect(
            log.all == [
                .failure(Oops.source), .failure(Oops.other), .success("a"), .failure(Oops.thrown), .success("b"),
            ])
    }

    @Test(arguments: [false, true])
    func `it ends when both have ended, with a cancellation if one was canceled`(isCancelled: Bool) {
        let token = CancelToken()
        let target = source.flatMapLatest(context: immediate) { [inner] in
            isCancelled ? inner[$0].map(context: immediate, cancelToken: token) { $0 } : inner[$0]
        }
        source.success(0)
        source.finish()
        #expect(!target.isFinished && !target.isCancelled)
        if isCancelled { token.cancel() } else { inner[0].finish() }
        #expect(target.isFinished == !isCancelled && target.isCancelled == isCancelled)
    }

    @Test func `a canceled inner stream of an earlier value does not make the end a cancellation`() {
        let token = CancelToken()
        let target = source.flatMapLatest(context: immediate) { [inner] in
            inner[$0].map(context: immediate, cancelToken: token) { $0 }
        }
        source.success(0)
        source.success(1)
        inner[1].finish()
        source.finish()
        token.cancel()
        #expect(target.isFinished)
    }

    @Test func `its token unsubscribes from both`() {
        let token = CancelToken()
        let target = source.flatMapLatest(context: immediate, cancelToken: token) { [inner] in inner[$0] }
        source.success(0)
        token.cancel()
        #expect(target.isCancelled)
        #expect(source.core.subscriberCount == 0 && inner[0].core.subscriberCount == 0)
    }

    @Test func `unsubscribing its last subscriber unsubscribes from both`() {
        do {
            let token = CancelToken()
            source.flatMapLatest(context: immediate) { [inner] in inner[$0] }
                .onSuccess(context: immediate, cancelToken: token) { _ in }
            source.success(0)
            #expect(inner[0].core.subscriberCount == 1)
            token.cancel()
        }
        #expect(source.core.subscriberCount == 0 && inner[0].core.subscriberCount == 0)
    }

    @Test func `the stream itself as an inner stream is an invalid completion`() {
        let box = Box<FutureStream<Int>?>(nil)
        let target = source.flatMapLatest(context: immediate) { _ in box.value ?? FutureStream() }
        box.value = target
        let log = Log<Outcome<Int>>()
        target.onComplete(context: immediate) { log.add(Outcome($0)) }
        source.success(0)
        #expect(log.all == [.failure(FuturesError.invalidCompletion)])
        box.value = nil
        source.finish()
        #expect(target.isFinished)
    }

    @Test func `elements that another thread emits into an earlier inner stream are not passed on`() {
        race(rounds: Stress.rounds(300)) {
            Arena()
        } _: {
            for _ in 0..<20 { $0.streams[0].success(0) }
        } _: {
            $0.source.success(1)
            for _ in 0..<20 { $0.streams[1].success(1) }
        } check: {
            let heard = $0.heard.all
            try verify(heard == heard.sorted() && heard.count { $0 == 1 } == 20, "in turns: \(heard)")
        }
    }

    private final class Arena: Sendable {
        let source = FutureStream<Int>(capacity: 0)
        let streams = (0..<2).map { _ in FutureStream<Int>(capacity: 0) }
        let heard = Log<Int>()

        init() {
            source.flatMapLatest(context: immediate) { [streams] in streams[$0] }
                .onSuccess(context: immediate) { [heard] in heard.add($0) }
            source.success(0)
        }
    }
}
