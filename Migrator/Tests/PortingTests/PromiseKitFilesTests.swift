import Porting
import SourceFiles
import Testing

@Suite struct `Files of PromiseKit` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .promisekit) }
    private func left(_ text: String) -> [String] { PortingTests.left(text, from: .promisekit) }

    @Test func `A second run leaves a finally whose catch has another queue`() {
        let text = "load().done(on: q) { a($0) }.catch(on: q) { b($0) }.finally(on: q) { c() }"
        let once = ported(text)
        #expect(once.hasSuffix(".onFailure(context: q) { b($0) }.finally(on: q) { c() }"))
    }

    @Test func `A second run replaces a finally whose catch is on the main queue`() {
        let text = "load().onFailure(context: QueueContext.main) { b($0) }.finally { c() }"
        #expect(ported(text) == "load().onFailure(context: QueueContext.main) { b($0) }.ensure { c() }")
    }

    @Test(arguments: [
        "{ // the newest\n    load()\n}", "{ /* the newest */ load() }", "{ load() // the newest\n}",
        "{\n    load()\n    // the newest\n}", "{ return /* the newest */ load() }",
    ])
    func `A comment in the closure of firstly isn't lost`(closure: String) {
        #expect(ported("firstly \(closure).done { a($0) }").hasSuffix("firstly \(closure).onSuccess { a($0) }"))
    }

    @Test func `Future is qualified in a file that imports Combine`() {
        let text = """
            import Combine
            func f() -> Promise<Int> { .value(3) }
            let a = Promise.value(3)
            let b = Guarantee<Int> { seal in load { seal($0) } }
            let c = after(.seconds(1))
            let d: Future<Int, Never> = Future { $0(.success(1)) }
            """
        let expected = """
            import Combine
            func f() -> SimpleFutures.Future<Int> { .init(value: 3) }
            let a = SimpleFutures.Future(value: 3)
            let b = SimpleFutures.Future<Int> { complete in load { complete(.success($0)) } }
            let c = SimpleFutures.Future.after(.seconds(1))
            let d: Combine.Future<Int, Never> = Combine.Future { $0(.success(1)) }
            """
        #expect(ported(text) == expected)
    }

    @Test(arguments: [
        "let a = p.map { $0 + 1 }.catch { _ -> AnyPublisher<Int, Never> in .just(0) }",
        "let a = p.catch { _ in Just(0) }.eraseToAnyPublisher()",
        "p.receive(on: DispatchQueue.main).catch { _ in Just(0) }.sink { show($0) }.store(in: &all)",
    ])
    func `Operators of Combine are no calls of PromiseKit`(_ text: String) {
        #expect(ported(text) == text)
        #expect(left(text) == [])
    }

    @Test func `A promise is one until it is turned into a publisher`() {
        #expect(
            ported("let a = firstly { load() }.then { b($0) }.get { c($0) }.map { d($0) }.publisher(queue: .main)")
                == "let a = load().flatMap { b($0) }.andThen { c($0) }.map { d($0) }.publisher(queue: .main)")
        #expect(
            ported("load().done { a($0) }.catch { b($0) }.publisher().sink { c($0) }")
                == "load().map { a($0) }.onFailure { b($0) }.publisher().sink { c($0) }")
    }

    @Test func `Comments before a call that is removed stay`() {
        #expect(
            ported("load().done { a($0) } // first\n    // second\n    .cauterize()\nb()")
                == "load().onSuccess { a($0) } // first\n    // second\nb()")
    }

    @Test func `The only statement of a promise's closure has no use for its value`() {
        #expect(
            ported("let a = Promise<Int> { seal in load().done { seal.fulfill($0) } }")
                == "let a = Future<Int> { complete in load().onSuccess { complete(.success($0)) } }")
    }

    @Test func `Names with the module's name`() {
        #expect(
            ported("func f() -> PromiseKit.Promise<Int> { .value(1) }") == "func f() -> Future<Int> { .init(value: 1) }"
        )
        #expect(ported("var a: PromiseKit.Promise<Int>?") == "var a: Future<Int>?")
        #expect(ported("func f<T>() -> PromiseKit.Promise<T>") == "func f<T: Sendable>() -> Future<T>")
        #expect(ported("let a = PromiseKit.Promise.value(1)") == "let a = PromiseKit.Promise.value(1)")
        #expect(left("let a = PromiseKit.Promise.value(1)") == ["Promise<T>"])
        #expect(ported("extension PromiseKit.Result {}") == "extension PromiseKit.Result {}")
        #expect(left("extension PromiseKit.Result {}").count == 1)
    }

    @Test func `An initializer in an extension gets a seal from its own`() {
        #expect(
            ported("extension Promise { convenience init(_ x: T) { self.init { seal in seal.fulfill(x) } } }")
                == "extension Future { convenience init(_ x: T) { self.init { complete in complete(.success(x)) } } }")
        #expect(
            ported("struct S { init(_ x: Int) { self.init { seal in seal.fulfill(x) } } }")
                == "struct S { init(_ x: Int) { self.init { seal in seal.fulfill(x) } } }")
    }

    @Test func `A second run keeps the promise that took the place of a pair`() {
        let pair = """
            func f() -> Promise<Void> {
                let (promise, seal) = Promise<Void>.pending()
                load { seal.fulfill(()) }
                return promise
            }

            """
        #expect(ported(pair).contains("let promise = Promise<Void>()"))
        let text = pair + "let a = f().tap { show($0) }"
        let once = ported(text)
        #expect(once.contains("let promise = SimpleFutures.Promise<Void>()"))
    }

    @Test func `A file with the import in a condition keeps it`() {
        let text = "#if A\nimport PromiseKit\n#endif\nfunc f() {\n    let (a, s) = Promise<Int>.pending()\n}\n"
        let porter = Porter(from: .promisekit)
        let once = porter.port(SourceFile(path: "File.swift", text: text))?.after ?? ""
        #expect(once.hasPrefix("#if A\nimport PromiseKit\n#endif\nimport SimpleFutures\nfunc f() {"))
        #expect(once.contains("let a = SimpleFutures.Promise<Int>()"))
        #expect(porter.port(SourceFile(path: "File.swift", text: once))?.after == once)
    }

    @Test func `A guarantee needs no conversion to a promise`() {
        #expect(ported("try hang(Promise(update.sensors))") == "try hang(update.sensors)")
        #expect(ported("let a = Promise(load(id: 1)).then { f($0) }") == "let a = load(id: 1).flatMap { f($0) }")
    }

    @Test func `When of promises without values has none`() {
        #expect(ported("when(fulfilled: all).then { f() }") == "all.sequence().asVoid().flatMap { f() }")
        #expect(ported("when(fulfilled: all).then { f($0) }") == "all.sequence().flatMap { f($0) }")
        #expect(ported("when(fulfilled: a, b).map { c }") == "zip(a, b).asVoid().map { c }")
        #expect(ported("when(fulfilled: a, b).map { c($0) }") == "zip(a, b).map { c($0) }")
        #expect(ported("when(fulfilled: all).then { _ in f() }") == "all.sequence().flatMap { _ in f() }")
        #expect(
            ported("when(fulfilled: a, b).ensure { c() }.recover { _ -> Promise<Void> in d }.done { e() }.cauterize()")
                == "zip(a, b).asVoid().ensure { c() }.recoverWith { _ -> Future<Void> in d }.onSuccess { e() }")
        #expect(ported("when(fulfilled: a, b).get { c() }.cauterize()") == "_ = zip(a, b).asVoid().andThen { c() }")
        #expect(
            ported("func f() -> Promise<Void> { when(fulfilled: all).ensure { a() } }")
                == "func f() -> Future<Void> { all.sequence().asVoid().ensure { a() } }")
        #expect(
            ported("func f() -> Promise<Void> { when(fulfilled: all) }")
                == "func f() -> Future<Void> { all.sequence().asVoid() }")
    }

    @Test func `The type around a closure or a call`() {
        #expect(
            ported("let f: () -> Promise<Void> = { [a] in return .value(()) }")
                == "let f: () -> Future<Void> = { [a] in return .init(value: ()) }")
        #expect(
            ported("extension Promise { func f() { g(after(seconds: 1)) } }")
                == "extension Future { func f() { g(Future<Void>.after(.seconds(1))) } }")
    }

    @Test func `A method of PMKFoundation is left, and its import stays`() {
        let text = "func f() -> Promise<Int> { session.dataTask(.promise, with: url).map { $0.count } }"
        #expect(ported(text).hasSuffix(text.replacing("Promise<", with: "Future<")))
        #expect(left(text) == ["load(completion: seal.resolve)"])
        let after = Porter(from: .promisekit).port(
            SourceFile(path: "File.swift", text: "import PMKFoundation\n" + text))?.after
        #expect(after?.hasPrefix("import PMKFoundation\nimport SimpleFutures\n") ?? false)
    }

    @Test func `Results are tries`() {
        #expect(ported("func f(_ all: [Result<Int>]) {}") == "func f(_ all: [Try<Int>]) {}")
        #expect(ported("func f(_ all: [Result<Int, E>]) {}") == "func f(_ all: [Result<Int, E>]) {}")
        let own = "typealias Result<T> = Swift.Result<T, Error>\nfunc f(_ all: [Result<Int>]) {}"
        #expect(ported(own) == own)
        // An app may have an enum of its own with these cases.
        let text = "switch r {\ncase .fulfilled(let x): a(x)\ncase let .rejected(e): b(e)\n}"
        #expect(ported(text) == text)
        #expect(left(text) == ["when(resolved: promises)", "when(resolved: promises)"])
    }

    @Test func `The value of a promise without one`() {
        #expect(
            ported("func f() -> Promise<Void> { if a { return .value }; return .value(()) }")
                == "func f() -> Future<Void> { if a { return .init(value: ()) }; return .init(value: ()) }")
        #expect(ported("func f() -> Shape { .value }") == "func f() -> Shape { .value }")
    }

    @Test(arguments: [
        "if a { f().done { b($0) } } else if c { f().done { d($0) } } else { f().done { e($0) } }",
        "for x in y { x.done { b($0) } }",
        "switch a {\ncase 1: f().done { b($0) }\ndefault: break\n}",
        "var x = 1 { didSet { f().done { b($0) } } }",
        "func g() { guard a else { return }; if b { f().done { c($0) } } }",
    ])
    func `The only statement of a branch is the end of a chain`(_ text: String) {
        #expect(ported(text) == text.replacing(".done", with: ".onSuccess"))
    }

    @Test(arguments: [
        "let a = if b { f().done { c($0) } } else { d }", "var a: Promise<Void> { get { f().done { c($0) } } }",
        "var a: Promise<Void> { f().done { c($0) } }",
        "func g() -> Promise<Void> { if a { f().done { c($0) } } else { b } }",
    ])
    func `The only statement of a branch may be its value`(_ text: String) {
        #expect(ported(text).contains("f().map { c($0) }"))
    }

    @Test func `The lines of a call move to the left with it`() {
        let text = """
            func f() {
                firstly {
                    load(
                        a: 1
                    )
                }.done { b($0) }
            }
            """
        #expect(ported(text) == "func f() {\n    load(\n        a: 1\n    ).onSuccess { b($0) }\n}")
    }

    @Test func `An import that is replaced already is removed with its line`() {
        let text = "import PromiseKit\nimport SimpleFutures\nlet a: Promise<Int>\n"
        let after = Porter(from: .promisekit).port(SourceFile(path: "File.swift", text: text))?.after
        #expect(after == "import SimpleFutures\nlet a: Future<Int>\n")
    }
}
