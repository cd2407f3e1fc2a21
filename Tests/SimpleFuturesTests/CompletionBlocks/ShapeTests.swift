import SimpleFutures
import Testing
@testable import TestSupport

/// Methods with every common shape of completion handler.
///
/// They answer at once, on request with an error.
private struct Shop: Sendable {
    struct Receipt: Error, Equatable { var id = 7 }

    var error: Oops?

    func optional(_ done: (Int?, (any Error)?) -> Void) { done(error == nil ? 1 : nil, error) }
    func value(_ done: (Int, (any Error)?) -> Void) { done(1, error) }
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
    func nothing(_ done: (Int?, (any Error)?) -> Void) { done(nil, nil) }
}

@Suite("future(method:): the shapes of completion handlers", .watchdog)
struct ShapeTests {
    private let shop = Shop()
    private let closed = Shop(error: .source)

    @Test func `a pair of optionals is unwrapped, or kept if it is annotated`() {
        let unwrapped: Future<Int> = future(method: shop.optional)
        #expect(unwrapped.ended == .success(1))
        let kept = future(method: shop.optional)
        #expect(kept.result?.value == .some(1))
        #expect(future(method: closed.optional).ended == .failure(Oops.source))
        let missing: Future<Int> = future { shop.nothing($0) }
        #expect(missing.ended == .failure(FuturesError.invalidCompletion))
        let optional: Future<Int?> = future { shop.nothing($0) }
        #expect(optional.result?.value == .some(nil))
    }

    @Test func `a value and an error`() {
        #expect(future(method: shop.value).ended == .success(1))
        #expect(future { shop.value($0) }.ended == .success(1))
        #expect(future { closed.value($0) }.ended == .failure(Oops.source))
    }

    @Test func `two values and an error`() throws {
        let pair = future { shop.pair($0) }
        let _: Future<(Int, String)> = pair
        #expect(try #require(pair.result?.value) == (1, "a"))
        #expect(future(method: closed.pair).result?.error as? Oops == .source)
        let optionals = future { shop.optionalPair($0) }
        let _: Future<(Int?, String?)> = optionals
        #expect(try #require(optionals.result?.value) == (1, "a"))
        let unwrapped: Future<(Int, String)> = future { shop.optionalPair($0) }
        #expect(try #require(unwrapped.result?.value) == (1, "a"))
    }

    @Test func `the error first`() {
        #expect(future { shop.errorFirst($0) }.ended == .success(1))
        #expect(future(method: closed.errorFirst).ended == .failure(Oops.source))
        let unwrapped: Future<Int> = future { shop.errorFirstOptional($0) }
        #expect(unwrapped.ended == .success(1))
        let failed: Future<Int> = future(method: closed.errorFirstOptional)
        #expect(failed.ended == .failure(Oops.source))
    }

    @Test func `an optional error of one type is an error, or a value if it is annotated`() {
        let saved = future { shop.concrete($0) }
        let _: Future<Void> = saved
        #expect(saved.result?.isSuccess() == true)
        #expect(future { closed.concrete($0) }.result?.error as? Oops == .source)
        #expect(future(method: closed.concrete).result?.error as? Oops == .source)
        let kept: Future<Oops?> = future { closed.concrete($0) }
        #expect(kept.result?.value == .some(.source))
        #expect(future { closed.concreteAfterValue($0) }.result?.error as? Oops == .source)
        #expect(future { shop.concreteAfterValue($0) }.ended == .success(1))
    }

    @Test func `each shape as a trailing closure fails with its error`() {
        #expect(future { closed.optional($0) }.ended == .failure(Oops.source))
        #expect(future { closed.pair($0) }.result?.error as? Oops == .source)
        #expect(future { closed.errorFirst($0) }.ended == .failure(Oops.source))
        #expect(future { closed.errorFirstOptional($0) }.ended == .failure(Oops.source))
        #expect(future { closed.optionalPair($0) }.result?.error as? Oops == .source)
        let unwrapped: Future<(Int, String)> = future { closed.optionalPair($0) }
        #expect(unwrapped.result?.error as? Oops == .source)
    }

    @Test func `two values without an error`() throws {
        let both = future { shop.two(id: 4, $0) }
        #expect(try #require(both.result?.value) == (4, "a"))
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

    @Test func `an optional error of one type among other values is an error`() throws {
        #expect(future { closed.concreteAfterTwo($0) }.result?.error as? Oops == .source)
        #expect(future { shop.concreteAfterTwo($0) }.result?.isSuccess() == true)
        #expect(future { closed.concreteAmongFour($0) }.result?.error as? Oops == .source)
        let four = future { shop.concreteAmongFour($0) }
        #expect(try #require(four.result?.value) == (1, nil, "a", true))
    }

    @Test func `a completion handler of any shape, released uncalled or called twice`() {
        let released = future { (done: @Sendable (Int, Int, Int, Int) -> Void) in }
        #expect({ if case FuturesError.brokenPromise? = released.result?.error { true } else { false } }())
        let twice = future { (done: @escaping @Sendable (Int, Int, Int, Int) -> Void) in
            done(1, 2, 3, 4)
            done(5, 6, 7, 8)
        }
        #expect(twice.result?.value.map { $0 == (1, 2, 3, 4) } == true)
        let thrown = future { (done: @Sendable (Int, Int, Int, Int) -> Void) in throw Oops.thrown }
        #expect(thrown.result?.error as? Oops == .thrown)
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

    @Test func `an expression is still an expression`() {
        #expect(future(1 + 1).ended == .success(2))
        func fail() throws -> Int { throw Oops.thrown }
        #expect(future(try fail()).ended == .failure(Oops.thrown))
    }
}
