import SimpleFutures
import Testing
@testable import TestSupport

/// A typical callback API, written before Swift 6.
private final class Requester: Sendable {
    func request(completion: @escaping (Int?, (any Error)?) -> Void) { completion(4, nil) }
    func requestNothing(completion: @escaping (Int?, (any Error)?) -> Void) { completion(nil, nil) }
    func requestPlain(completion: @escaping (Int, (any Error)?) -> Void) { completion(4, nil) }
    func load(id: Int, completion: @escaping (String?, (any Error)?) -> Void) { completion("\(id)", nil) }
    func fetch(_ id: Int, then done: @escaping (String, (any Error)?) -> Void) { done("\(id)", nil) }
    func save(completion: @escaping ((any Error)?) -> Void) { completion(nil) }
    func ask(completion: @escaping (String) -> Void) { completion("yes") }
    func wait(completion: @escaping () -> Void) { completion() }
    func result(completion: @escaping (Result<Int, Oops>) -> Void) { completion(.success(4)) }
    func anyResult(completion: @escaping (Result<Int, any Error>) -> Void) { completion(.failure(Oops.other)) }
    func data(completion: @escaping ([UInt8]?, String?, (any Error)?) -> Void) { completion([1], "text", nil) }
    func find(success: @escaping (Int) -> Void, failure: @escaping (any Error) -> Void) { success(4) }
    func throwing(completion: @escaping (Int) -> Void) throws { throw Oops.thrown }
    func sendable(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(4, nil) }
    func mainActor(completion: @escaping @MainActor @Sendable (Int?, (any Error)?) -> Void) {
        Task { @MainActor in completion(4, nil) }
    }
    static func shared(completion: @escaping (Int?, (any Error)?) -> Void) { completion(5, nil) }
}

/// The examples of the README of SimpleFutures 0.2, in its style.
extension Requester {
    fileprivate func futureRequest() -> Future<Int?> {
        return future(method: request)
    }

    fileprivate func futureLoad(id: Int) -> Future<String> {
        future { self.load(id: id, completion: $0) }
    }
}

private func asyncRequest(_ completion: @escaping (Int, (any Error)?) -> Void) { completion(4, nil) }

@Suite("future(method:) without annotation", .watchdog)
struct InferenceTests {
    private let requester = Requester()

    @Test func `without annotation an optional value is unwrapped`() {
        let inferred = future(method: requester.request)
        let same: Future<Int> = inferred
        #expect(same.ended == .success(4))
        let missing = future(method: requester.requestNothing)
        #expect(missing.ended == .failure(FuturesError.invalidCompletion))
        #expect(future(method: { requester.requestNothing(completion: $0) }).ended == missing.ended)
        let trailing = future { requester.requestNothing(completion: $0) }
        #expect(trailing.ended == missing.ended)
        let named = future { (block: @escaping @Sendable (Int?, (any Error)?) -> Void) in
            requester.requestNothing(completion: block)
        }
        #expect(named.ended == missing.ended)
        #expect(requester.futureLoad(id: 3).ended == .success("3"))
    }

    @Test func `annotated as an optional, it keeps nil, in each spelling`() {
        #expect(requester.futureRequest().ended == .success(4))
        let reference: Future<Int?> = future(method: requester.requestNothing)
        #expect(reference.ended == .success(nil))
        let closure: Future<Int?> = future(method: { requester.requestNothing(completion: $0) })
        #expect(closure.ended == .success(nil))
        let trailing: Future<Int?> = future { requester.requestNothing(completion: $0) }
        #expect(trailing.ended == .success(nil))
        let named: Future<Int?> = future { (block: @escaping @Sendable (Int?, (any Error)?) -> Void) in
            requester.requestNothing(completion: block)
        }
        #expect(named.ended == .success(nil))
        let plain: Future<Int?> = future(method: requester.requestPlain)
        #expect(plain.ended == .success(4))
        let failed: Future<Int?> = future { $0(nil, Oops.other) }
        #expect(failed.ended == .failure(Oops.other))
    }

    @Test func `annotated as an optional, it keeps nil, in each position`() {
        func returned() -> Future<Int?> { future(method: requester.requestNothing) }
        #expect(returned().ended == .success(nil))
        func passed(_ future: Future<Int?>) -> Outcome<Int?> { future.ended }
        #expect(passed(future(method: requester.requestNothing)) == .success(nil))
        let cast = future(method: requester.requestNothing) as Future<Int?>
        #expect(cast.ended == .success(nil))
        let chained = Future(value: ()).flatMap(context: immediate) { () -> Future<Int?> in
            future(method: requester.requestNothing)
        }
        #expect(chained.ended == .success(nil))
    }

    @Test func `a value and an error result in a future of the value`() {
        let inferred = future(method: requester.requestPlain)
        let same: Future<Int> = inferred
        #expect(same.ended == .success(4))
        #expect(future(method: asyncRequest).ended == .success(4))
    }

    @Test func `each other shape results in a future of its values`() {
        let saved: Future<Void> = future(method: requester.save)
        #expect(saved.completed)
        #expect(future(method: requester.ask).ended == .success("yes"))
        let waited: Future<Void> = future(method: requester.wait)
        #expect(waited.completed)
        #expect(future(method: requester.result).ended == .success(4))
        #expect(future(method: requester.anyResult).ended == .failure(Oops.other))
        #expect(future(method: requester.data).map(context: immediate) { $0.1 }.ended == .success("text"))
        #expect(future(method: requester.find).ended == .success(4))
        #expect(future(method: requester.throwing).ended == .failure(Oops.thrown))
        #expect(future(method: requester.sendable).ended == .success(4))
        #expect(future(method: Requester.shared).ended == .success(5))
    }

    @Test func `a main-actor completion handler is accepted`() async {
        let future: Future<Int> = future(method: requester.mainActor)
        #expect(await future.end() == .success(4))
    }

    @Test func `a method with more arguments is passed as a closure`() {
        let loaded = future(method: { requester.load(id: 4, completion: $0) })
        #expect(loaded.ended == .success("4"))
        let unwrapped: Future<String> = future(method: { requester.load(id: 4, completion: $0) })
        #expect(unwrapped.ended == .success("4"))
        #expect(future(method: { requester.fetch(4, then: $0) }).ended == .success("4"))
        let both = future(method: { requester.find(success: $0, failure: $1) })
        #expect(both.ended == .success(4))
    }

    @Test func `it can be passed as a trailing closure`() {
        let loaded: Future<String> = future { requester.load(id: 4, completion: $0) }
        #expect(loaded.ended == .success("4"))
        let fetched = future { requester.fetch(4, then: $0) }
        #expect(fetched.ended == .success("4"))
        let both = future { requester.find(success: $0, failure: $1) }
        #expect(both.ended == .success(4))
        let throwing = future { try requester.throwing(completion: $0) }
        #expect(throwing.ended == .failure(Oops.thrown))
    }

    @Test func `a chain can follow`() {
        let text = future(method: requester.request)
            .map(context: immediate) { $0 + 1 }
            .map(context: immediate) { "\($0)" }
        #expect(text.ended == .success("5"))
    }
}
