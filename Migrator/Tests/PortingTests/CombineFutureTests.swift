import Porting
import SourceFiles
import Testing

@Suite struct `Future in a file of Combine` {
    /// The file after a run.
    private func after(_ text: String) -> String? { port(text, from: .combine)?.after }

    @Test func `A file that imports both modules says which Future it means`() {
        #expect(
            after("let a = Just(1).eraseToAnyPublisher()\nlet b = Future<Int, E> { $0(.success(1)) }")
                == """
                import Combine
                import SimpleFutures
                let a = SimpleFutures.Future(value: 1)
                let b = Combine.Future<Int, E> { $0(.success(1)) }
                """)
        #expect(
            after("let a = Fail(error: e).eraseToAnyPublisher()\nfunc f() -> [Future<Int, E>] { [Future { $0(x) }] }")
                == """
                import Combine
                import SimpleFutures
                let a = SimpleFutures.Future(error: e)
                func f() -> [Combine.Future<Int, E>] { [Combine.Future { $0(x) }] }
                """)
    }

    @Test func `A file with one of the modules has no prefixes`() {
        #expect(after("let a = Just(1)") == "import SimpleFutures\nlet a = Future(value: 1)")
        #expect(after("let a = Future<Int, E> { b($0) }") == "import Combine\nlet a = Future<Int, E> { b($0) }")
    }

    @Test(arguments: [
        "let a: Future<Int, E>", "let a: Combine.Future<Int, E>", "let a = Combine.Future<Int, E> { b($0) }",
        "let a = Combine.Future { b($0) }",
    ])
    func `The import stays for a Future of Combine`(_ text: String) throws {
        #expect(left(text, from: .combine) == ["Future<T, E> { promise in promise(.success(x)) }"])
        let once = try #require(after(text + "\nlet taps = PassthroughSubject<Int, E>()"))
        #expect(once.hasPrefix("import Combine\nimport SimpleFutures\nlet a"))
        #expect(Porter(from: .combine).port(SourceFile(path: "File.swift", text: once))?.after == once)
    }
}
