import Callbacks
import SourceFiles
import Testing

@testable import Wrapping

private func wrapped(_ text: String, _ options: WrapOptions = WrapOptions()) -> String {
    let file = SourceFile(path: "test.swift", text: text)
    return wrap(file, in: WrapContext([FileFacts(file)]), options: options).text
}

@Suite struct `Indentation` {
    @Test(arguments: ["\t", "  ", "    "])
    func `Overloads have the indentation of the file`(_ unit: String) {
        let text = "class C {\n\(unit)func a(completion: @escaping (Int) -> Void) -> Task {}\n}\n"
        let overload = """
            ~func a(cancelToken: CancelToken) -> Future<Int> {
            ~~future(cancelToken: cancelToken) {
            ~~~let call = a(completion: $0)
            ~~~return CancelAction { call.cancel() }
            ~~}
            ~}
            }

            """
        #expect(wrapped(text.replacing("Task", with: "Request")).hasSuffix(overload.replacing("~", with: unit)))
    }

    @Test(arguments: ["\t", "  ", "    "])
    func `Extensions and drafts have the indentation of the file`(_ unit: String) {
        let text = "protocol ADelegate {\n\(unit)func a()\n\(unit)func b(completion: @escaping (Int) -> Void)\n}\n"
        let result = wrapped(text, WrapOptions(delegates: true))
        #expect(result.contains("{\n\(unit)func b() -> Future<Int> { future { b(completion: $0) } }\n}"))
        #expect(result.contains("\n\(unit)func b(completion: @escaping (Int) -> Void) { b(completion) }\n}"))
        #expect(result.contains("\n\(unit)\(unit)self.b = b\n\(unit)}\n"))
    }

    @Test func `One blank line stands between texts after a declaration, and after them`() {
        let nested = ["A", "B"].map { "protocol \($0) { func a(completion: @escaping () -> Void) }" }
            .joined(separator: "\n    ")
        let delegate = "protocol ADelegate {\n    func a()\n    func b(completion: @escaping (Int) -> Void)\n}"
        for text in ["class C {\n    \(nested)\n}", delegate] {
            for next in ["\nlet c = 1\n", "\n\nlet c = 1\n", "\n"] {
                let result = wrapped(text + next, WrapOptions(delegates: true))
                #expect(!result.contains("\n\n\n"))
                #expect(result.hasSuffix(next == "\n" ? "\n}\n" : "\n}\n\nlet c = 1\n"))
            }
        }
    }

    @Test func `A type in one line gets a line for each member`() {
        let text = "struct A { class B { let x = 1; func a(completion: @escaping (Int) -> Void) {} } }\n"
        let expected = """
            struct A {
                class B {
                    let x = 1
                    func a(completion: @escaping (Int) -> Void) {}

                    func a() -> Future<Int> { future { a(completion: $0) } }
                }
            }

            """
        #expect(wrapped(text).hasSuffix(expected))
        let again = wrapped(wrapped(text))
        #expect(again == wrapped(text))
    }

    @Test func `A member that follows in the same line moves to its own`() {
        let text = "class C {\n  func a(completion: @escaping (Int) -> Void) {}; func b() {}\n}\n"
        let expected = """
            class C {
              func a(completion: @escaping (Int) -> Void) {}

              func a() -> Future<Int> { future { a(completion: $0) } }

              func b() {}
            }

            """
        #expect(wrapped(text).hasSuffix(expected))
    }

    @Test(arguments: ["switch x {\ncase 1: break\n}\n", "let a = [\n  1\n]\n", ""])
    func `It is four spaces if nothing tells`(_ text: String) {
        #expect(text.indentationUnit == "    ")
        #expect((text + "class C {\r\n\tlet a = 1\r\n}").indentationUnit == "\t")
    }
}
