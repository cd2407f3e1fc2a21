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
    func anyResult(completion: @escaping (Result<Int, any Error>) -> Void) { completion(.failure(Oops.other)) }
    func data(completion: @escaping ([UInt8]?, String?, (any Error)?) -> Void) { completion([1], "text", nil) }
    func find(success: @escaping (Int) -> Void, failure: @escaping (any Error) -> Void) { success(4) }
    func throwing(completion: @escaping (Int) -> Void) throws { throw Oops.thrown }

    // As in the README of SimpleFutures 0.2.
    func futureRequest() -> Future<Int?> {
        return future(method: request)
    }
}

private func asyncRequest(_ completion: @escaping (Int, (any Error)?) -> Void) { completion(4, nil) }

// The client tests in `MainActorClient` pass a method of every other shape, also to a main-actor completion handler.
@Suite("future(method:) without annotation", .watchdog)
struct InferenceTests {
    private let requester = Requester()

    @Test func `without annotation an optional value is unwrapped`() {
        let inferred = future(method: requester.request)
        let same: Future<Int> = inferred
        #expect(same.ended == .success(4))
        let reference = future(method: requester.requestNothing)
        let closure = future(method: { requester.requestNothing(completion: $0) })
        let trailing = future { requester.requestNothing(completion: $0) }
        let named = future { (block: @escaping @Sendable (Int?, (any Error)?) -> Void) in
            requester.requestNothing(completion: block)
        }
        for missing in [reference, closure, trailing, named] {
            #expect(missing.ended == .failure(FuturesError.invalidCompletion))
        }
        let chained = future(method: requester.request)
            .map(context: immediate) { $0 + 1 }
            .map(context: immediate) { "\($0)" }
        #expect(chained.ended == .success("5"))
    }

    @Test func `annotated as an optional, it keeps nil, in each spelling and position`() {
        #expect(requester.futureRequest().ended == .success(4))
        let reference: Future<Int?> = future(method: requester.requestNothing)
        let closure: Future<Int?> = future(method: { requester.requestNothing(completion: $0) })
        let trailing: Future<Int?> = future { requester.requestNothing(completion: $0) }
        let named: Future<Int?> = future { (block: @escaping @Sendable (Int?, (any Error)?) -> Void) in
            requester.requestNothing(completion: block)
        }
        let cast = future(method: requester.requestNothing) as Future<Int?>
        let chained = Future(value: ()).flatMap(context: immediate) { () -> Future<Int?> in
            future(method: requester.requestNothing)
        }
        func returned() -> Future<Int?> { future(method: requester.requestNothing) }
        func passed(_ future: Future<Int?>) -> Future<Int?> { future }
        let kept = [
            reference, closure, trailing, named, cast, chained, returned(),
            passed(future(method: requester.requestNothing)),
        ]
        for future in kept { #expect(future.ended == .success(nil)) }
        let plain: Future<Int?> = future(method: requester.requestPlain)
        #expect(plain.ended == .success(4))
        let failed: Future<Int?> = future { $0(nil, Oops.other) }
        #expect(failed.ended == .failure(Oops.other))
    }

    @Test func `a function, a method that throws, and one with more arguments can be wrapped`() {
        #expect(future(method: asyncRequest).ended == .success(4))
        #expect(future(method: requester.anyResult).ended == .failure(Oops.other))
        #expect(future(method: requester.data).map(context: immediate) { $0.1 }.ended == .success("text"))
        #expect(future(method: requester.find).ended == .success(4))
        #expect(future(method: requester.throwing).ended == .failure(Oops.thrown))
        #expect(future { try requester.throwing(completion: $0) }.ended == .failure(Oops.thrown))
        #expect(future(method: { requester.load(id: 4, completion: $0) }).ended == .success("4"))
        #expect(future(method: { requester.fetch(4, then: $0) }).ended == .success("4"))
        #expect(future { requester.fetch(4, then: $0) }.ended == .success("4"))
    }
}

/// Methods with every common shape of completion handler.
///
/// They answer at once, on request with an error.
private struct Shop: Sendable {
    struct Receipt: Error, Equatable { var id = 7 }

    var error: Oops?

    func pair(_ done: (Int, String, (any Error)?) -> Void) { done(1, "a", error) }
    func optionalPair(_ done: (Int?, String?, (any Error)?) -> Void) { done(1, "a", error) }
    func errorFirst(_ done: ((any Error)?, Int) -> Void) { done(error, 1) }
    func errorFirstOptional(_ done: ((any Error)?, Int?) -> Void) { done(error, error == nil ? 1 : nil) }
    func two(id: Int, _ done: (Int, String) -> Void) { done(id, "a") }
    func purchase(_ id: Int, done: @escaping @Sendable (Int?, String?, (any Error)?, Bool) -> Void) {
        done(error == nil ? id : nil, nil, error, true)
    }
    func errorInFront(_ done: ((any Error)?, Int, Bool, String) -> Void) { done(error, 1, true, "a") }
    func valueThatIsAnError(_ done: (Receipt, Int, Int) -> Void) { done(Receipt(), 1, 1) }
    func concreteAfterTwo(_ done: (Int?, String?, Oops?) -> Void) { done(error == nil ? 1 : nil, nil, error) }
    func concreteAmongFour(_ done: (Int, Oops?, String, Bool) -> Void) { done(1, error, "a", true) }
    func concrete(_ done: (Oops?) -> Void) { done(error) }
    func concreteAfterValue(_ done: (Int?, Oops?) -> Void) { done(error == nil ? 1 : nil, error) }
}

@Suite("future(method:): the shapes of completion handlers", .watchdog)
struct ShapeTests {
    private let shop = Shop()
    private let closed = Shop(error: .source)

    @Test func `two values, with and without an error`() throws {
        let pair = future { shop.pair($0) }
        let _: Future<(Int, String)> = pair
        #expect(try #require(pair.result?.value) == (1, "a"))
        #expect(try #require(future(method: shop.pair).result?.value) == (1, "a"))
        let optionals = future { shop.optionalPair($0) }
        let _: Future<(Int?, String?)> = optionals
        #expect(try #require(optionals.result?.value) == (1, "a"))
        let unwrapped: Future<(Int, String)> = future { shop.optionalPair($0) }
        #expect(try #require(unwrapped.result?.value) == (1, "a"))
        let oneMissing: Future<(Int, String)> = future { (done: (Int?, String?, (any Error)?) -> Void) in
            done(1, nil, nil)
        }
        #expect(oneMissing.result?.error as? FuturesError == .invalidCompletion)
        let nothing = future { (done: (Int?, String?, (any Error)?) -> Void) in done(nil, nil, nil) }
        #expect(try #require(nothing.result?.value) == (nil, nil))
        #expect(try #require(future { shop.two(id: 4, $0) }.result?.value) == (4, "a"))
    }

    @Test func `the error first`() {
        #expect(future { shop.errorFirst($0) }.ended == .success(1))
        #expect(future(method: closed.errorFirst).ended == .failure(Oops.source))
        let unwrapped: Future<Int> = future { shop.errorFirstOptional($0) }
        #expect(unwrapped.ended == .success(1))
        #expect(future { closed.errorFirstOptional($0) }.ended == .failure(Oops.source))
        #expect(future(method: closed.errorFirstOptional).ended == .failure(Oops.source))
    }

    @Test func `an optional error of one type is an error, or a value if it is annotated`() throws {
        let saved = future { shop.concrete($0) }
        let _: Future<Void> = saved
        #expect(saved.result?.isSuccess() == true)
        #expect(future { closed.concrete($0) }.result?.error as? Oops == .source)
        #expect(future(method: closed.concrete).result?.error as? Oops == .source)
        let kept: Future<Oops?> = future { closed.concrete($0) }
        #expect(kept.result?.value == .some(.source))
        #expect(future { closed.concreteAfterValue($0) }.result?.error as? Oops == .source)
        #expect(future { shop.concreteAfterValue($0) }.ended == .success(1))
        #expect(future { closed.concreteAfterTwo($0) }.result?.error as? Oops == .source)
        #expect(future { shop.concreteAfterTwo($0) }.result?.isSuccess() == true)
        #expect(future { closed.concreteAmongFour($0) }.result?.error as? Oops == .source)
        let four = future { shop.concreteAmongFour($0) }
        #expect(try #require(four.result?.value) == (1, nil, "a", true))
    }

    @Test func `four values, an error among them`() throws {
        let bought = future { shop.purchase(3, done: $0) }
        let (id, info, error, isSandbox) = try #require(bought.result?.value)
        #expect(id == 3 && info == nil && error == nil && isSandbox)
        #expect(future { closed.purchase(3, done: $0) }.result?.error as? Oops == .source)
        #expect(future { closed.errorInFront($0) }.result?.error as? Oops == .source)
        let front = future { shop.errorInFront($0) }
        #expect(try #require(front.result?.value).1 == 1)
    }

    @Test func `a value that happens to be an error is a value`() throws {
        let all = future { shop.valueThatIsAnError($0) }
        #expect(try #require(all.result?.value) == (Shop.Receipt(), 1, 1))
    }

    #if DEBUG
    @Test func `a completion handler of a shape that no overload takes is reported`() throws {
        let line: UInt = #line
        let reported = Reports.during { reports in
            _ = future({ @Sendable (done: (Int) -> Bool) in _ = done(1) }, line: line)
            _ = future({ @Sendable (done: (inout Int) -> Void) in }, line: line)
            _ = future({ @Sendable (one: () -> Void, two: () -> Void, three: () -> Void) in }, line: line)
            _ = futureStream({ @Sendable (done: (Int) -> Bool) in _ = done(1) }, line: line)
            return reports.about(CreationSite(line: line))
        }
        #expect(reported.count == 4, "\(reported)")
        for report in reported { #expect(report.description.contains("Call the method in `Future { complete in … }`")) }
        let first = try #require(reported.first).description
        #expect(first.contains("((Int) -> Bool) -> ()") && first.contains("ShapeTests.swift:\(line)"), "\(first)")
    }

    @Test func `a value that only holds functions is not reported`() {
        let line: UInt = #line
        let reported = Reports.during { reports in
            _ = future([{ @Sendable (value: Int) in value }], line: line)
            _ = future((1, { @Sendable (value: Int) in value }), line: line)
            _ = future(Optional { @Sendable (value: Int) in value }, line: line)
            _ = future(1, line: line)
            return reports.about(CreationSite(line: line))
        }
        #expect(reported.isEmpty, "\(reported)")
    }
    #endif
}
