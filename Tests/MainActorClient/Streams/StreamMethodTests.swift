import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("futureStream(method:) in a main-actor module", .watchdog)
struct StreamMethodTests {
    private let all = ["one", "offline", "two"]

    @Test(arguments: Origin.allCases)
    func `every shape of block, annotated`(origin: Origin) async {
        let feed = AnnotatedFeed(origin)
        await expect(futureStream(method: feed.plain), futureStream(method: feed.optional))
        await expect(futureStream(method: feed.results))
        await expect(futureStream(method: { feed.watch(1, value: $0, failure: $1) }))
        let responses: FutureStream<(String, Int)> = futureStream(method: feed.responses)
        await expect(responses.map(context: ImmediateContext()) { "\($0.0)" })
        #expect(await futureStream(method: feed.alarms).texts() == ["()", "offline"])
        #expect(await futureStream(method: feed.texts).values() == ["one", "two"])
        #expect(await futureStream(method: feed.ticks).elements().count == 2)
    }

    @Test(arguments: Origin.allCases)
    func `every shape of block, without annotation`(origin: Origin) async {
        let feed = UnannotatedFeed(origin)
        await expect(futureStream(method: feed.plain), futureStream(method: feed.optional))
        await expect(futureStream(method: feed.results))
        await expect(futureStream(method: { feed.watch(1, value: $0, failure: $1) }))
        let responses: FutureStream<(String, Int)> = futureStream(method: feed.responses)
        await expect(responses.map(context: ImmediateContext()) { "\($0.0)" })
        #expect(await futureStream(method: feed.alarms).texts() == ["()", "offline"])
        #expect(await futureStream(method: feed.texts).values() == ["one", "two"])
        #expect(await futureStream(method: feed.ticks).elements().count == 2)
    }

    @Test(arguments: Origin.allCases)
    func `without a type for the stream, optional values stay optional`(origin: Origin) async {
        let texts = futureStream(method: AnnotatedFeed(origin).optional)
        let values: [String?] = await texts.values()
        #expect(values == ["one", "two"])
    }

    @Test(arguments: Origin.allCases)
    func `methods of a class on the main actor`(origin: Origin) async {
        let feed = MainActorFeed(origin)
        await expect(futureStream(method: feed.optional), futureStream { feed.optional(update: $0) })
        #expect(await futureStream(method: feed.texts).values() == ["one", "two"])
        // The tasks that it calls back in keep no order.
        #expect(await Set(futureStream(method: feed.home).values()) == ["one", "two"])
        #expect(await futureStream { feed.cached(update: $0) }.values() == ["one", "two"])
        #expect(feed.requests == 5)
    }

    @Test(arguments: Origin.allCases)
    func `a closure that changes the main actor's state before it calls the method`(origin: Origin) async {
        let (feed, model) = (UnannotatedFeed(origin), FeedModel())
        let texts: FutureStream<String> = futureStream(capacity: 4) { update in
            model.show(Profile(id: 1, name: "asking"))
            feed.optional(update: update)
        }
        #expect(model.title == "asking")
        await expect(texts)
    }

    // Unmarked it would be the main actor's, and trap when a module that the compiler does not check calls it
    // elsewhere.
    @Test(arguments: Origin.allCases)
    func `a block inside a block is marked as one for any thread`(origin: Origin) async {
        let feed = UnannotatedFeed(origin)
        let texts = FutureStream<String>(capacity: 4) { emit in
            feed.optional { @Sendable text, error in
                emit(text.map { .success($0) } ?? .failure(error ?? AppError.unknown))
            }
        }
        await expect(texts)
        let lengths: FutureStream<Int> = futureStream { update in feed.texts { @Sendable in update($0.count, nil) } }
        #expect(await lengths.values() == [3, 3])
    }

    @Test(arguments: Origin.allCases)
    func `a method that throws on the main actor`(origin: Origin) async {
        let feed = MainActorFeed(origin)
        let refused: FutureStream<String> = futureStream { update in
            guard feed.requests > 0 else { throw AppError.unknown }
            feed.texts(update: update)
        }
        #expect(await refused.texts() == ["unknown"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a model follows on the main actor`(place: Place, origin: Origin) async {
        let (context, model) = (place.makeContext(), FeedModel())
        let profiles = futureStream(method: UnannotatedFeed(origin).plain)
            .map(context: context) { Profile(id: $0.count, name: $0) }
        model.followResults(profiles, on: context)
        await until { model.hasEnded }
        #expect(model.log == all + ["finished"])
    }

    // Dispatch is a module that is not checked: a closure literal that goes there is the main actor's. A block of the
    // library's is not.
    @Test func `the handler of a timer on a background queue`() async {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let ticks: FutureStream<Void> = futureStream(capacity: 4) { timer.setEventHandler(handler: $0) }
        timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        timer.resume()
        #expect(await ticks.take(3).elements().count == 3)
        timer.cancel()
    }

    private func expect(_ streams: FutureStream<String>...) async {
        for stream in streams { #expect(await stream.texts() == all) }
    }
}
