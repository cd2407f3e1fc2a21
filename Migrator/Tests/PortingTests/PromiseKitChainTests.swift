import Porting
import SourceFiles
import Testing

@Suite struct `Chains of PromiseKit` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .promisekit) }
    private func left(_ text: String) -> [String] { PortingTests.left(text, from: .promisekit) }
    private func reasons(_ text: String) -> String {
        (port(text, from: .promisekit)?.notes() ?? []).joined(separator: "\n")
    }

    @Test func `Closures of main-actor code are isolated`() {
        let text = """
            import PromiseKit
            @MainActor class Screen {
                func show() {
                    load(4).get { self.note($0) }.done { user in
                        self.user = user
                    }.ensure {
                        self.stop()
                    }.catch(on: .main) { self.show($0) }
                }
                nonisolated func count() -> Promise<Int> { load(4).map { $0.count }.then(on: q) { save($0) } }
            }
            """
        let after = port([SourceFile(path: "File.swift", text: text)], by: Porter(from: .promisekit)).first?.after
        #expect(
            after == """
                import SimpleFutures
                import SimpleFuturesInterop
                @MainActor class Screen {
                    func show() {
                        load(4).andThen(isolated: { self.note($0) }).onSuccess(isolated: { user in
                            self.user = user
                        }).ensure(isolated: {
                            self.stop()
                        }).onFailure(isolated: { self.show($0) })
                    }
                    nonisolated func count() -> Future<Int> { load(4).map { $0.count }.flatMap(context: q) { save($0) } }
                }
                """)
    }

    @Test(arguments: [
        "class Screen: UIViewController { func f() {", "class Screen: Base { func f() {",
        "struct A { @MainActor func f() {",
        "class Screen: BaseView {}\nextension Screen { func f() {", "extension LoginViewController { func f() {",
    ])
    func `Code that can be on the main actor`(_ start: String) {
        #expect(
            ported("\(start) load().then(next).done { a($0) } } }")
                == "import SimpleFuturesInterop\n\(start) load().flatMap(isolated: next).onSuccess(isolated: { a($0) }) } }"
        )
        #expect(ported("\(start) load().done(on: q) { a($0) } } }").contains("onSuccess(context: q) { a($0) }"))
    }

    @Test(arguments: [
        "class A { func f() {", "class A: NSObject { func f() {", "actor A: Base { func f() {", "do { do {",
        "class A {}\nextension A { func f() {",
    ])
    func `Code outside of the main actor`(_ start: String) {
        #expect(
            ported("\(start) load().done { a($0) }.cauterize() } }") == "\(start) load().onSuccess { a($0) } } }")
    }

    @Test func `A comment before a closure stays`() {
        let text = "@MainActor func f() { load().done /* the end */ { a($0) }.cauterize() }"
        #expect(ported(text).hasSuffix("@MainActor func f() { load().onSuccess /* the end */ (isolated: { a($0) }) }"))
    }

    @Test func `cauterize on a name is removed as a whole`() {
        #expect(ported("a()\n    // why\n    self.p.cauterize()\nb()") == "a()\n    // why\nb()")
        #expect(ported("func f() { p.cauterize() }") == "func f() { }")
        #expect(ported("load().done { try a($0) }.cauterize()") == "_ = load().map { try a($0) }")
        #expect(ported("load().catch { a($0) }.finally { b() }") == "load().onFailure { a($0) }.ensure { b() }")
    }

    @Test func `Links below firstly move to where the links of a call stand`() {
        let text = """
            func f() {
                firstly {
                    load()
                }
                // then
                .then { next($0) }

                .done { a in
                    use(a)
                }
                .cauterize()
                firstly { load() }
                    .done { use($0) }
                    .cauterize()
            }
            """
        #expect(
            ported(text) == """
                func f() {
                    load()
                        // then
                        .flatMap { next($0) }

                        .onSuccess { a in
                            use(a)
                        }
                    load()
                        .onSuccess { use($0) }
                }
                """)
    }

    @Test func `firstly with an expression that needs parentheses`() {
        #expect(ported("firstly { a ? b() : c() }.done { d($0) }") == "(a ? b() : c()).onSuccess { d($0) }")
        #expect(reasons("firstly { a ? .value(1) : c() }.done { d($0) }").contains("write `Future<Int>(value: 1)`"))
        #expect(ported("firstly { get(\"https://a.b\") }.done { d($0) }") == "get(\"https://a.b\").onSuccess { d($0) }")
    }

    @Test func `Notes on firstly say what stands in the way`() {
        #expect(reasons("firstly { if a { b() } else { c() } }.cauterize()").contains("several statements"))
        #expect(reasons("firstly { [a] in a.load() }.cauterize()").contains("`Future(value: ()).flatMap(context: .imm"))
        #expect(
            reasons("@MainActor func f() { firstly { try a() }.cauterize() }").contains(
                "`Future(value: ()).flatMap(isolated: { try … })`"))
        #expect(
            reasons("firstly { () -> Promise<User> in load(\"me\") }.done { a($0) }").contains(
                "write `let first: Future<User> = load(\"me\")` before the chain"))
    }

    @Test func `Guarantees are zipped`() {
        #expect(ported("let p = when(guarantees: a, b)") == "let p = zip(a, b)")
        #expect(ported("let p = when(guarantees: all)") == "let p = all.sequence()")
    }

    @Test func `Links in a condition are links of their chain`() {
        let text = """
            load()
                #if DEBUG
                .get { log($0) }
                #else
                .then { check($0) }
                #endif
                .done { use($0) }
                .cauterize()
            """
        #expect(
            ported(text) == """
                load()
                    #if DEBUG
                    .andThen { log($0) }
                    #else
                    .flatMap { check($0) }
                    #endif
                    .onSuccess { use($0) }
                """)
        #expect(reasons("load()\n#if A\n.cauterize()\n#endif\nb()").contains("in an `#if`: remove it"))
    }

    @Test func `A file with catch or recover has one note on cancellation errors`() {
        let text = "load().recover { _ -> Promise<Int> in a() }.catch { b($0) }\nload().catch { b($0) }"
        #expect(reasons(text).hasPrefix("File.swift:2:8: note: PromiseKit's `catch` and `recover` skip cancellation"))
        #expect(!reasons(text).contains("\n"))
        #expect(reasons("load().done { b($0) }") == "")
    }
}
