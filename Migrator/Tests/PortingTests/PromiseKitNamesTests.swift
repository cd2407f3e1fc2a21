import Porting
import SourceFiles
import Testing

@Suite struct `Names of PromiseKit` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .promisekit) }
    private func notes(_ text: String) -> String {
        (port(text, from: .promisekit)?.notes() ?? []).joined(separator: "\n")
    }

    @Test(arguments: [
        "func f(_ seal: Resolver<Int>) {}", "@objc func f() -> AnyPromise { a }", "extension Thenable {}",
        "func f<P: CatchMixin>(_ p: P) {}", "func f() -> PMKFinalizer {}", "let p = when(a(), b())",
        "let a = AnyPromise(b())", "func f(_ e: Error) { g(e as? PMKError) }", "if error.isCancelled { a() }",
        "import PMKAlamofire", "center.observe(once: name)", "UIView.animate(.promise, duration: 1) { a() }",
    ])
    func `A name without a replacement is left, and the import stays`(_ text: String) {
        #expect(notes(text).contains("note: left"))
        #expect(port(text, from: .promisekit)?.after.hasPrefix("import PromiseKit\n") ?? false)
    }

    @Test func `Methods of other modules are named in their note`() {
        #expect(notes("a.dataTask(.promise, with: b)").contains("`session.dataFuture(from: url)`"))
        #expect(!notes("UIView.animate(.promise) { a() }").contains("session"))
    }

    @Test(arguments: [
        "let a: Promise<Int> = b ? .value(1) : (c ? .value(2) : .value(3))",
        "let a: [Promise<Int>] = [.value(1), .value(2)]",
        "func f(_ a: Promise<Int> = .value(1)) {}", "func f() -> Promise<Int> { return a ? .value(1) : load() }",
        "func f() -> Promise<Int> { a ?? .value(1) }",
        "var a: Promise<Int>; func f() { self.a = .value(1); b.a = c ? .value(1) : d }",
        "load().then { .value($0) }.cauterize()",
        "load().then { a in if a { return .value(1) }; return .value(2) }.cauterize()",
    ])
    func `A value where a promise is expected`(_ text: String) {
        #expect(!ported(text).contains(".value("))
        #expect(ported(text).contains(".init(value: "))
    }

    @Test func `A value of another type, or of a type that isn't known`() {
        for text in [
            "let a: Shape = b ? .value(1) : c", "switch a { case .value(1): b() default: c() }", "if a == .value(1) {}",
        ] {
            #expect(ported(text) == text)
            #expect(notes(text) == "")
        }
        #expect(notes("stub(.value(1))").contains("where a promise is expected, write `.init(value: x)`"))
        #expect(ported("let a = b.map(Promise.value)") == "let a = b.map(Future.init(value:))")
        #expect(ported("let a = Promise<Void>.value") == "let a = Future<Void>(value: ())")
        #expect(
            ported("func f() -> Promise<Void> { return Promise.value }")
                == "func f() -> Future<Void> { return Future(value: ()) }")
    }

    @Test func `A property of another file has the type of its declaration`() {
        let files = [
            SourceFile(path: "A.swift", text: "import PromiseKit\nclass Mock { var user: Promise<Int> }"),
            SourceFile(path: "B.swift", text: "import PromiseKit\nfunc test() { mock.user = .value(1) }"),
        ]
        let after = port(files, by: Porter(from: .promisekit)).map(\.after)
        #expect(after.last == "import SimpleFutures\nfunc test() { mock.user = .init(value: 1) }")
    }

    @Test func `The value and the error of a promise are left`() {
        let text = "func load() -> Promise<Int>\nfunc f() { print(load().value, mock.load().error, other.value) }"
        #expect(notes(text).contains("left 2 times"))
        #expect(notes(text).contains("`f.result?.value`"))
        #expect(notes("let a = load().done { b($0) }.error").contains("`f.result?.error`"))
        #expect(notes("let a = f.value") == "")
    }
}
