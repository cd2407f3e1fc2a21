import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Methods with completion handlers in a main-actor module", .watchdog)
struct CompletionHandlerTests {
    nonisolated private static let answers: [Answer] = [.success("one"), .failure(.offline)]

    @Test(arguments: Origin.allCases, answers)
    func `every shape becomes a future, annotated or not`(origin: Origin, answer: Answer) async {
        let client = AnnotatedClient(origin, answer)
        let old = UnannotatedClient(client)
        let (response, oldResponse): (Future<(String, Int)>, Future<(String, Int)>)
        (response, oldResponse) = (future(method: client.response), future(method: old.response))
        await expect(answer, future(method: client.plain), future(method: client.optional))
        await expect(answer, future(method: old.plain), future(method: old.optional))
        await expect(answer, future(method: client.result), future(method: old.result))
        await expect(answer, future(method: { client.find(1, success: $0, failure: $1) }))
        await expect(answer, future(method: { old.find(1, success: $0, failure: $1) }))
        await expect(answer, response.map { "\($0.0)" }, oldResponse.map { "\($0.0)" })
        for saved in [future(method: client.save), future(method: old.save)] {
            #expect(await saved.outcome.isSuccess() == (answer == .success("one")))
        }
        let talkative = AnnotatedClient(origin, .success("one"))
        await expect(.success("one"), future(method: talkative.text), future(method: AnnotatedClient.shared))
        await expect(.success("one"), future(method: UnannotatedClient(talkative).text))
        #expect(await future(method: client.wait).outcome.isSuccess())
        #expect(await future(method: old.wait).outcome.isSuccess())
    }

    @Test(arguments: Origin.allCases)
    func `every shape becomes a stream, annotated or not`(origin: Origin) async {
        let client = AnnotatedClient(origin, .success("one"), .failure(.offline), .success("two"))
        let old = UnannotatedClient(client)
        let (responses, oldResponses): (FutureStream<(String, Int)>, FutureStream<(String, Int)>)
        (responses, oldResponses) = (futureStream(method: client.response), futureStream(method: old.response))
        await expect(futureStream(method: client.plain), futureStream(method: client.optional))
        await expect(futureStream(method: old.plain), futureStream(method: old.optional))
        await expect(futureStream(method: client.result), futureStream(method: old.result))
        await expect(futureStream(method: { client.find(1, success: $0, failure: $1) }))
        await expect(futureStream(method: { old.find(1, success: $0, failure: $1) }))
        await expect(responses.map { "\($0.0)" }, oldResponses.map { "\($0.0)" })
        for saved in [futureStream(method: client.save), futureStream(method: old.save)] {
            #expect(await saved.texts() == ["()", "offline", "()"])
        }
        for texts in [futureStream(method: client.text), futureStream(method: old.text)] {
            #expect(await texts.values() == ["one", "two"])
        }
        for ticks in [futureStream(method: client.wait), futureStream(method: old.wait)] {
            #expect(await ticks.elements().count == 3)
        }
        // Without a type annotation, optional values stay optional.
        let texts = futureStream(method: client.optional)
        let values: [String?] = await texts.values()
        #expect(values == ["one", "two"])
    }

    @Test(arguments: Origin.allCases, answers)
    func `methods of a class on the main actor`(origin: Origin, answer: Answer) async {
        let client = MainActorClient(AnnotatedClient(origin, answer))
        await expect(answer, future(method: client.optional), future(method: client.home))
        await expect(answer, future { client.optional(completion: $0) }, future { client.home(completion: $0) })
        #expect(future { client.cached(completion: $0) }.result?.value == "one")
        // Behind a protocol, and kept in a lazy property.
        let service: any Service = client
        await expect(answer, future(method: service.optional), future { service.optional(completion: $0) })
        for _ in 0..<2 { await expect(answer, client.first) }
        #expect(client.requests == 8)
        let feed = MainActorClient(AnnotatedClient(origin, .success("one"), .failure(.offline), .success("two")))
        await expect(futureStream(method: feed.optional), futureStream { feed.optional(completion: $0) })
        #expect(await future(method: feed.text).outcome.value == "one")
        #expect(await futureStream(method: feed.text).values() == ["one", "two"])
        // The tasks in which it calls back are not ordered.
        let home: FutureStream<String> = futureStream(method: feed.home)
        #expect(await Set(home.texts()) == ["one", "offline", "two"])
        #expect(await futureStream { feed.cached(completion: $0) }.values() == ["one"])
        #expect(feed.requests == 6)
    }

    @Test(arguments: Origin.allCases)
    func `closures around a method can use the main actor's state and throw`(origin: Origin) async {
        let (client, model) = (UnannotatedClient(AnnotatedClient(origin, .success("one"))), Model())
        let text: Future<String> = future { done in
            model.note("asking")
            client.optional(completion: done)
        }
        let texts: FutureStream<String> = futureStream(capacity: 4) { update in
            model.note("following")
            client.optional(completion: update)
        }
        #expect(model.log == ["asking", "following"])
        #expect(await text.outcome.value == "one")
        #expect(await texts.values() == ["one"])
        let refused: Future<String> = future { done in
            guard model.log.isEmpty else { throw AppError.unknown }
            client.text(completion: { done($0, nil) })
        }
        let refusedStream: FutureStream<String> = futureStream { update in
            guard model.log.isEmpty else { throw AppError.unknown }
            client.text(completion: { update($0, nil) })
        }
        #expect(await refused.outcome.error as? AppError == .unknown)
        #expect(await refusedStream.texts() == ["unknown"])
    }

    // Without the mark they would be isolated to the main actor, and trap when a module without the compiler's checks
    // calls them on another thread.
    @Test(arguments: Origin.allCases)
    func `closures passed to such a method are marked @Sendable`(origin: Origin) async {
        let client = UnannotatedClient(AnnotatedClient(origin, .success("one")))
        let text = Future<String> { complete in
            client.optional { @Sendable text, error in
                complete(text.map { .success($0) } ?? .failure(error ?? AppError.unknown))
            }
        }
        let texts = FutureStream<String>(capacity: 4) { emit in
            client.text { @Sendable in emit(.success($0)) }
        }
        let length: Future<Int> = future { done in client.text { @Sendable text in done(text.count, nil) } }
        let lengths: FutureStream<Int> = futureStream { update in client.text { @Sendable in update($0.count, nil) } }
        #expect(await text.outcome.value == "one")
        #expect(await texts.values() == ["one"])
        #expect(await length.outcome.value == 3)
        #expect(await lengths.values() == [3])
    }

    // Dispatch is a module without these checks: a closure literal passed to it on the main actor is isolated to the
    // main actor, and traps on other threads. A function of the library does not.
    @Test func `functions of the library can be passed to Dispatch`() async throws {
        let (promise, bare, token, cancelled) = (Promise<Void>(), Future<Void>(), CancelToken(), Promise<Void>())
        let marked = Promise<Void>()
        token.onCancel(cancelled.success)
        for function in [promise.success, bare.success, token.cancel] {
            DispatchQueue.global().async(execute: DispatchWorkItem(block: function))
        }
        DispatchQueue.global().async(execute: DispatchWorkItem { @Sendable in marked.success() })
        let item: Future<Void> = future { DispatchQueue.global().async(execute: DispatchWorkItem(block: $0)) }
        let group: Future<Void> = future { done in
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) {}
            group.notify(queue: .global(), execute: done)
        }
        let timers = (0..<2).map { _ in DispatchSource.makeTimerSource(queue: .global()) }
        let fired: Future<Void> = future { timers[0].setEventHandler(handler: $0) }
        let ticks: FutureStream<Void> = futureStream(capacity: 4) { timers[1].setEventHandler(handler: $0) }
        timers[0].schedule(deadline: .now())
        timers[1].schedule(deadline: .now(), repeating: .milliseconds(1))
        for timer in timers { timer.resume() }
        let all = [promise.future, bare, cancelled.future, marked.future, item, group, fired]
        try await all.sequence().asVoid().value
        #expect(await ticks.take(3).elements().count == 3)
        for timer in timers { timer.cancel() }
    }

    private func expect(_ answer: Answer, _ futures: Future<String>...) async {
        for future in futures {
            let outcome = await future.outcome
            #expect(outcome.value.map { .success($0) } ?? (outcome.error as? AppError).map { .failure($0) } == answer)
        }
    }

    private func expect(_ streams: FutureStream<String>...) async {
        for stream in streams { #expect(await stream.texts() == ["one", "offline", "two"]) }
    }
}

@Suite("Producers of a main-actor module", .watchdog)
struct ProducerTests {
    private let store = Store()

    @Test(arguments: Origin.allCases)
    func `a resolver runs on the main actor, and its completion closure runs anywhere`(origin: Origin) async throws {
        let store = store
        let made = Future<Int> { complete in
            store.requests += 1
            origin.call { complete(.success(1)) }
        }
        let stream = FutureStream<Int>(capacity: 2) { emit in
            store.requests += 1
            origin.call { for number in 1...3 { emit(.success(number)) } }
        }
        let thrown = Future<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        let refused = FutureStream<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        #expect(store.requests == 4)
        #expect(try await made.value == 1)
        #expect(await stream.values() == [2, 3])
        #expect(thrown.result?.error as? AppError == .unknown)
        #expect(await refused.texts() == ["unknown"])
    }

    @Test(arguments: ContextKind.allCases)
    func `expressions are evaluated on the main actor, and closures on any context`(kind: ContextKind) async throws {
        let (context, store) = (kind.makeContext(), store)
        #expect(future(store.requests).result?.value == 0)
        #expect(await futureStream(store.requests).values() == [0])
        #expect(try await future(context: context) { 6 * 7 }.value == 42)
        #expect(await futureStream(context: context) { 6 * 7 }.values() == [42])
        guard ContextKind.ofMainActor.contains(kind) else { return }
        let count = future(context: context) { MainActor.assumeIsolated { store.count() } }
        let counts = futureStream(context: context) { MainActor.assumeIsolated { store.count() } }
        #expect(try await count.value + counts.values()[0] == 3)
        let executed = Promise<Int>()
        context.execute { MainActor.assumeIsolated { executed.success(store.count()) } }
        #expect(try await executed.future.value == 3)
    }

    @Test(arguments: [Queue.global, Queue("app.state")])
    func `a closure that a queue runs synchronously can use the main actor's state`(queue: Queue) {
        queue.sync { store.requests += 1 }
        #expect(queue.sync { store.requests } == 1)
        let made = queue.sync { Future<Int> { complete in complete(.success(store.requests)) } }
        #expect(made.result?.value == 1)
    }

    @Test func `closures on the main queue are on the main actor`() async {
        let model = Model()
        Queue.main.async { MainActor.assumeIsolated { model.note("async") } }
        Queue.main.delay(0.001) { MainActor.assumeIsolated { model.note("delay") } }
        await until { model.log.count == 2 }
        #expect(model.log == ["async", "delay"])
    }
}

private final class Store {
    var requests = 0

    func count() -> Int {
        requests += 1
        return requests
    }
}
