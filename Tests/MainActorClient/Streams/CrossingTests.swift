import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("From futures to streams and back, in a main-actor module", .watchdog)
struct CrossingTests {
    private let promise = Promise<Profile>()
    private let numbers = StreamPromise<Int>()

    private func send(from origin: Origin) {
        origin.call { [numbers] in
            numbers.success(1)
            numbers.failure(AppError.offline)
            numbers.success(2)
            numbers.finish()
        }
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `connect, then listen`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let all = promise.future.flatMap(context: context) { [numbers] _ in numbers.stream }
        let last = promise.future.flatMap(capacity: 1, context: context) { [numbers] profile in
            numbers.stream.map(context: context) { $0 + profile.id }
        }
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        send(from: origin)
        #expect(await all.texts(on: context) == ["1", "offline", "2"])
        #expect(await last.texts(on: context) == ["3"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a value, or else a stream`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let ids = promise.future.map(context: context) { $0.id }
        let recovered = ids.recoverWith(context: context) { [numbers] _ in numbers.stream }
        let thrown = ids.recoverWith(capacity: 1, context: context) { error -> FutureStream<Int> in throw error }
        origin.call { [promise] in promise.failure(AppError.unknown) }
        send(from: origin)
        #expect(await recovered.texts(on: context) == ["1", "offline", "2"])
        #expect(await thrown.texts(on: context) == ["unknown"])
        let known = Future(value: 7).recoverWith(context: context) { [numbers] _ in numbers.stream }
        #expect(await known.texts(on: context) == ["7"])
    }

    @Test(arguments: Origin.allCases)
    func `a future takes the first element of a stream`(origin: Origin) async throws {
        let (first, none) = (Future<Int>(), Future<Int>())
        first.completeWith(stream: numbers.stream)
        none.completeWith(stream: FutureStream { _ in })
        send(from: origin)
        #expect(try await first.value == 1)
        #expect(await none.outcome.error as? FuturesError == .noSuchElement)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a request for each element, and all of them gathered`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let client = AnnotatedClient(origin, .value)
        let answers = numbers.stream.flatMap(context: context) { number in
            future(method: client.text).map(context: context) { "\($0) \(number)" }
        }
        send(from: origin)
        #expect(await Set(answers.texts(on: context)) == ["one 1", "offline", "one 2"])
        let known = answers.futures.filter { $0.result?.isSuccess() == true }
        #expect(try await known.sequence().value.sorted() == ["one 1", "one 2"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor a model decides what to listen to`(place: Place, origin: Origin) async {
        let (context, model) = (place.makeContext(), FeedModel())
        let texts = promise.future
            .flatMap(context: context) { [numbers] profile in
                MainActor.assumeIsolated {
                    model.show(profile)
                    return numbers.stream
                }
            }
            .map(context: context) { number in MainActor.assumeIsolated { "\(model.title) \(number)" } }
        let count = promise.future.map { $0.id }.recoverWith(context: context) { error in
            MainActor.assumeIsolated {
                model.fail(error)
                return FutureStream(value: model.log.count)
            }
        }
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        send(from: origin)
        #expect(await texts.texts() == ["Ada 1", "offline", "Ada 2"])
        #expect(await count.values() == [1])
        #expect(model.log == ["Ada"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a type of the module's own that is a future leads to streams`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let request = Request()
        let all = request.flatMap(context: context) { [numbers] _ in numbers.stream }
        let failed = Request(error: AppError.unknown).recoverWith(context: context) { [numbers] _ in numbers.stream }
        origin.call { request.complete(.success(1)) }
        send(from: origin)
        #expect(await all.texts(on: context) == ["1", "offline", "2"])
        #expect(await failed.texts(on: context) == ["1", "offline", "2"])
    }

    @Test(arguments: Origin.allCases)
    func `contexts of the module's own lead to the main actor`(origin: Origin) async {
        let model = FeedModel()
        let titles = numbers.stream.map(context: MainContext()) { number in
            MainActor.assumeIsolated {
                model.show(Profile(id: number, name: "\(number)"))
                return model.title
            }
        }
        send(from: origin)
        #expect(await titles.texts() == ["1", "offline", "2"])
        #expect(model.log == ["1", "2"])
    }
}

/// Nothing is annotated.
private struct Request: Futurable {
    private let future: Future<Int>

    init() { future = Future() }
    init(value: Int) { future = Future(value: value) }
    init(error: any Error) { future = Future(error: error) }

    var result: Try<Int>? { future.result }

    func complete(_ result: Try<Int>) { future.complete(result) }

    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<Int>) -> Void
    ) {
        future.onComplete(context: context, cancelToken: cancelToken, completion: completion)
    }
}
