import Porting
import Testing

@Suite struct `Pending promises of PromiseKit` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .promisekit) }
    private func isLeft(_ text: String) -> Bool {
        PortingTests.left(text, from: .promisekit).contains("let (promise, seal) = Promise<T>.pending()")
    }

    private let bridge = """
        class Bridge {
            private let (promise, seal) = Promise<Int>.pending()
            var result: Promise<Int> { return promise }
            func begin() { load { [weak self] in self?.seal.fulfill($0) } }
        }
        extension Bridge: Ends {
            func didCancel() { self.seal.reject(Canceled()) }
            func note() { self.promise.done { log(promise: $0) }.cauterize() }
        }
        """

    @Test func `A private pair of an object becomes one promise, which ignores the calls after the first`() {
        #expect(
            ported(bridge) == """
                import SimpleFuturesInterop
                class Bridge {
                    private let promise = Promise<Int>()
                    var result: Future<Int> { return promise.future }
                    func begin() { load { [weak self] in self?.promise.trySuccess($0) } }
                }
                extension Bridge: Ends {
                    func didCancel() { self.promise.tryFailure(Canceled()) }
                    func note() { self.promise.future.onSuccess(isolated: { log(promise: $0) }) }
                }
                """)
    }

    @Test func `A pair of an object is left if something else in its type has one of its names`() {
        #expect(isLeft(bridge.replacing("private ", with: "")))
        #expect(isLeft(bridge + "\nextension Bridge { func f() { other.seal.fulfill(1) } }"))
        #expect(isLeft(bridge + "\nextension Bridge { func f() { let promise = 1 } }"))
        #expect(isLeft(bridge + "\nextension Bridge { func f(seal: Int) {} }"))
        #expect(
            !isLeft(
                bridge + "\nclass Other { var promise = 1 }\nlet a = Promise<Int> { seal in load { seal.fulfill($0) } }"
            ))
    }

    @Test func `A pair with one name becomes a promise of that name`() {
        #expect(
            ported(
                """
                func f() -> Promise<Int> {
                    let pair = Promise<Int>.pending()
                    load { value, error in
                        if let value { pair.resolver.fulfill(value) } else { pair.resolver.reject(error!) }
                    }
                    return pair.promise
                }
                """)
                    == """
                    func f() -> Future<Int> {
                        let pair = Promise<Int>()
                        load { value, error in
                            if let value { pair.success(value) } else { pair.failure(error!) }
                        }
                        return pair.future
                    }
                    """)
    }

    @Test(arguments: [
        "use(pair)", "use(pair.resolver)", "pair.resolver.resolve(1, nil)", "let pair = 1", "f { [pair] in }",
    ])
    func `A pair with one name is left if something else is done with it`(_ use: String) {
        let text = "func f() {\n    let pair = Promise<Int>.pending()\n    \(use)\n    g(pair.promise)\n}"
        #expect(ported(text) == text)
        #expect(isLeft(text))
    }

    @Test func `A seal keeps its name where the new one would mean something else`() {
        #expect(
            ported(
                "let a = Promise<Int> { a in Promise<Int> { b in load { b.fulfill($0); a.fulfill(1) } }.cauterize() }")
                == "let a = Future<Int> { a in _ = Future<Int> { complete in load { complete(.success($0)); a(.success(1)) } } }"
        )
        #expect(
            ported(
                "let a = Promise<Int> { s in Promise<Int> { s in s.fulfill(2) }.done { s.fulfill($0) }.cauterize() }")
                == "let a = Future<Int> { complete in Future<Int> { complete in complete(.success(2)) }"
                + ".onSuccess { complete(.success($0)) } }")
        #expect(
            ported(
                "func f(complete: @escaping (R) -> Void) -> Promise<Int> { Promise { seal in complete(r); seal.fulfill(2) } }"
            )
                == "func f(complete: @escaping (R) -> Void) -> Future<Int> "
                + "{ Future { seal in complete(r); seal(.success(2)) } }")
    }
}
