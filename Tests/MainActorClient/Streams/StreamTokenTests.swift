import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Tokens and streams of a main-actor module", .watchdog)
struct StreamTokenTests {
    private let promise = StreamPromise<Profile>()
    private let token = CancelToken()

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a token silences the callbacks of a model, wherever it is cancelled`(place: Place, origin: Origin) async {
        let (context, model) = (place.makeContext(), FeedModel())
        promise.success(Profile(id: 0, name: "Eve"))
        model.follow(promise.stream.map(context: context, cancelToken: token) { $0 }, on: context, until: token)
        await until { model.log == ["Eve"] }
        origin.call { [token, promise] in
            token.cancel()
            promise.sendAll()
        }
        await until { model.hasEnded }
        await mainQueueIsDone()
        #expect(model.log == ["Eve", "cancelled"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a stream is told to let go of a token's registrations`(place: Place, origin: Origin) async {
        let (context, other) = (place.makeContext(), CancelToken())
        let (cancelled, kept) = (
            promise.stream.flatMap(context: context, cancelToken: token) { Future(value: $0.id) },
            promise.stream.map(context: context, cancelToken: other) { $0.id }
        )
        #expect(promise.stream.cancel(token))
        #expect(!promise.stream.cancel(token))
        origin.call { [promise] in promise.sendAll() }
        #expect(await kept.values(on: context) == [1, 2])
        #expect(await cancelled.elements(on: context).isEmpty)
        #expect(cancelled.isCancelled && !kept.isCancelled)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `inner streams and futures are detached too`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let (inner, innerFuture) = (StreamPromise<Int>(), Promise<Int>())
        let streams = promise.stream.flatMap(context: context, cancelToken: token) { _ in inner.stream }
        let futures = promise.stream.flatMap(context: context, cancelToken: token) { _ in innerFuture.future }
        promise.sendAll()
        origin.call { [token] in token.cancel() }
        #expect(await streams.values(on: context).isEmpty)
        #expect(await futures.values(on: context).isEmpty)
        #expect(streams.isCancelled && futures.isCancelled)
    }

    @Test(arguments: Origin.allCases)
    func `a model that goes cancels what it follows`(origin: Origin) async {
        let derived: FutureStream<Profile>
        do {
            let screen = Screen(promise.stream)
            derived = screen.profiles
            origin.call { _ = screen }
        }
        _ = await derived.elements()
        #expect(derived.isCancelled)
        #expect(!promise.stream.isFinished)
    }
}

private final class Screen {
    let profiles: FutureStream<Profile>
    private let closed: CancelToken

    init(_ profiles: FutureStream<Profile>) {
        let closed = CancelToken()
        self.profiles = profiles.map(cancelToken: closed) { $0 }
        self.closed = closed
    }

    deinit { closed.cancel() }
}
