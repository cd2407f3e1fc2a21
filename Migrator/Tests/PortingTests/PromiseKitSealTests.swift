import Porting
import Testing

@Suite struct `Seals of PromiseKit` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .promisekit) }
    private func notes(_ text: String) -> String {
        (port(text, from: .promisekit)?.notes() ?? []).joined(separator: "\n")
    }

    @Test(arguments: [
        ("Promise { seal in get(completion: seal.resolve) }", "future { get(completion: $0) }"),
        ("Promise<Int> { load(1, completion: $0.resolve) }", "future { load(1, completion: $0) }"),
        ("Guarantee { auth(completionHandler: $0) }", "future { auth(completionHandler: $0) }"),
        ("Promise(resolver: { seal in get(seal.resolve) })", "future { get($0) }"),
        ("Promise { seal in try get(seal.resolve).resume() }", "future { try get($0).resume() }"),
        ("Promise { [weak self] seal in self?.get(seal.resolve) }", "future { [weak self] in self?.get($0) }"),
        ("Promise { seal in\n    // why\n    get(seal.resolve)\n}", "future {\n    // why\n    get($0)\n}"),
    ])
    func `A seal that one call gets as its handler`(before: String, after: String) {
        #expect(ported("func f() -> Promise<Int> { \(before) }") == "func f() -> Future<Int> { \(after) }")
    }

    @Test(arguments: [
        (
            "let a = Promise<Int> { seal in seal.fulfill(try load()) }",
            "let a = Future<Int> { complete in complete(.success(try load())) }"
        ),
        ("let a = Promise<Int> { $0.fulfill(1) }", "let a = Future<Int> { $0(.success(1)) }"),
        (
            "let a = Promise<Int> { s in s.resolve(.fulfilled(3)); s.resolve(.rejected(e)) }",
            "let a = Future<Int> { complete in complete(.success(3)); complete(.failure(e)) }"
        ),
        (
            "let a = Promise { (seal: Resolver<Int>) in seal.fulfill(1) }",
            "let a = Future { (complete: @escaping @Sendable (Try<Int>) -> Void) in complete(.success(1)) }"
        ),
        (
            "let a = Promise<Void> { seal in load { seal.fulfill_() } }",
            "let a = Future<Void> { complete in load { complete(.success(())) } }"
        ),
    ])
    func `A seal that is called`(before: String, after: String) { #expect(ported(before) == after) }

    @Test(arguments: [
        ("Promise<Int> { seal in self.seal = seal }", "hold a `Promise<T>` instead"),
        ("Promise<Int> { seal in finish(seal) }", "hold a `Promise<T>` instead"),
        ("Promise<Int> { seal in load { seal.resolve($0, $1) } }", "pass `$0` on as the handler"),
        ("Promise<Int> { seal in begin(); load(seal.resolve) }", "in a closure with one call"),
        ("Promise<Int> { _ in }", "its closure doesn't use the seal"),
        ("Guarantee { (seal: @escaping (Int) -> Void) in seal(1) }", "remove the type of `seal`"),
    ])
    func `A seal that is left`(text: String, reason: String) {
        #expect(notes("let a = " + text).contains(reason))
        #expect(ported("let a = " + text).contains(text.drop { $0 != "{" }))
    }
}
