import Callbacks
import SourceFiles
import Testing

@testable import Wrapping

/// A file with overloads, which a second run leaves as it is.
private func wrapped(_ text: String, _ options: WrapOptions = WrapOptions()) -> WrappedFile {
    func run(_ text: String) -> WrappedFile {
        let file = SourceFile(path: "test.swift", text: text)
        return wrap(file, in: WrapContext([FileFacts(file)]), options: options)
    }
    let once = run(text)
    #expect(run(once.text).text == once.text, "A second run changes nothing")
    return once
}

@Suite struct WrappingFunctions {
    @Test(arguments: [
        ("init(completion: @escaping (Int) -> Void)", "static function"),
        ("func load(_ ids: Int..., completion: @escaping (Int) -> Void)", "Variadic"),
        ("func load(id _: Int, completion: @escaping (Int) -> Void)", "without a name"),
        ("func load(completion: @escaping ([String: Any]) -> Void)", "withCompletionHandler"),
        ("func load(completion: @escaping (Int) -> Void) -> Bool", "would lose the Bool"),
        ("func load(completion: @escaping (Int) -> Void) async", "async already"),
        ("override func load(completion: @escaping (Int) -> Void)", "overrides"),
        ("func load(onFailure: @escaping (Error) -> Void)", "no place for a success"),
        ("func load(completion: @escaping Handler)", "typealias Handler isn't declared"),
        ("func pick(completion: @escaping (Int) -> Void, cancelCompletion: @escaping () -> Void)", "one of several"),
        ("func pick(onCanceled: @escaping () -> Void, completion: @escaping (Int) -> Void)", "one of several"),
    ])
    func `Says why a function is not wrapped, and what to do`(_ declaration: String, reason: String) throws {
        let result = wrapped("class C {\n    \(declaration) {}\n}\n")
        #expect(!result.isChanged)
        #expect(result.skipped.count == 1)
        #expect(try #require(result.skipped.first).place.hasPrefix("test.swift:2: C."))
        #expect(try #require(result.skipped.first).reason.contains(reason))
    }

    @Test func `Lists each reason once, with the functions below it`() {
        let result = wrapped(
            """
            class C {
                init(completion: @escaping (Int) -> Void) {}
                override func load(completion: @escaping (Int) -> Void) {}
                init(id: Int, completion: @escaping (Int) -> Void) {}
            }
            """)
        #expect(
            result.skipped.list == """
                  An initializer can't return a future: add a static function that does.
                    test.swift:2: C.init(completion:)
                    test.swift:4: C.init(id:completion:)
                  \(result.skipped[1].reason)
                    test.swift:3: C.load(completion:)
                """)
    }

    @Test func `Wraps the functions that are asked for`() {
        let text = "func a(completion: @escaping () -> Void) {}\nfunc b(completion: @escaping () -> Void) {}\n"
        let result = wrapped(text, WrapOptions(only: ["b"]))
        #expect(result.changes == ["test.swift:2: b(completion:): a future"])
    }

    @Test func `Imports the library publicly if the other imports say so, and after a comment at the top`() {
        let text = "// A comment.\n\npublic import Foundation\npublic func a(completion: @escaping () -> Void) {}\n"
        #expect(
            wrapped(text).text.hasPrefix("// A comment.\n\npublic import Foundation\npublic import SimpleFutures\n"))
        let bare = "// A comment.\n\n/// Loads.\nfunc a(completion: @escaping () -> Void) {}\n"
        #expect(wrapped(bare).text.hasPrefix("// A comment.\n\nimport SimpleFutures\n\n/// Loads.\nfunc a"))
    }

    @Test func `Qualifies Future where another module has one too`() {
        let text = "import Combine\nfunc a(completion: @escaping (Int) -> Void) {}\n"
        #expect(wrapped(text).text.contains("func a() -> SimpleFutures.Future<Int> { future { a(completion: $0) } }"))
    }

    @Test func `A Future of another module keeps its meaning, and a second run changes nothing`() {
        let text = "import Combine\nlet b: Future<Int, E> = Future { $0(c) }\n"
        let once = wrapped(text + "func a(completion: @escaping () -> Void) {}\n").text
        #expect(
            once.hasPrefix(
                "import Combine\nimport SimpleFutures\nlet b: Combine.Future<Int, E> = Combine.Future { $0(c) }\n"))
        #expect(wrapped(once).text == once)
    }

    @Test func `Qualifies Future where the module has one too`() {
        let text = "struct Future<T, E: Error> {}\nfunc a(completion: @escaping (Int) -> Void) {}\n"
        #expect(wrapped(text).text.contains("func a() -> SimpleFutures.Future<Int> { future { a(completion: $0) } }"))
    }

    @Test func `A second run leaves the draft of a delegate alone`() {
        let text = """
            protocol ServerDelegate: AnyObject {
                func stop()
                func start(_ id: Int, completion: @escaping (Int) -> Void)
            }

            """
        let once = wrapped(text, WrapOptions(delegates: true)).text
        #expect(once.contains("final class ServerEvents: ServerDelegate {"))
        #expect(wrapped(once, WrapOptions(delegates: true)).text == once)
    }

    @Test func `Marks the overload for Swift in a class that is exposed to Objective-C`() {
        let text = "@objcMembers class C: NSObject {\n    @objc func a(completion: @escaping (Int) -> Void) {}\n}\n"
        #expect(wrapped(text).text.contains("\n    @nonobjc\n    func a() -> Future<Int>"))
    }

    @Test func `Keeps tabs`() {
        let text = "class C {\n\tfunc a(completion: @escaping (Int) -> Void) {}\n}\n"
        #expect(wrapped(text).text.contains("\n\n\tfunc a() -> Future<Int> { future { a(completion: $0) } }\n}"))
    }

    @Test(arguments: ["func a(id: String) async -> Int { 1 }", "static func a(id: Int) async -> Int { 1 }"])
    func `Keeps the body of a function if the async one takes other types or is static`(_ overload: String) {
        let function = "func a(id: Int, completion: @escaping (Int) -> Void) { completion(id) }"
        let result = wrapped("class C {\n    \(function)\n    \(overload)\n}\n", WrapOptions(callback: true))
        #expect(result.text.contains(function))
        #expect(result.text.contains("func a(id: Int) -> Future<Int> { future { a(id: id, completion: $0) } }"))
    }

    @Test func `Keeps the body of a function that the async one calls through another`() {
        let function = "func a(completion: @escaping (Int) -> Void) { completion(1) }"
        let others = """
            func a() async -> Int { await b() }
            private func b() async -> Int { await withCheckedContinuation { c in a { c.resume(returning: $0) } } }
            """
        let text = "class C {\n\(function)\n\(others)\n}\n"
        #expect(wrapped(text, WrapOptions(callback: true)).text.contains(function))
        let direct = "class C {\n\(function)\nfunc a() async -> Int { 1 }\n}\n"
        #expect(!wrapped(direct, WrapOptions(callback: true)).text.contains(function))
    }

    @Test(arguments: ["", "import Foundation\n\n"])
    func `Writes the line ends of the file`(_ imports: String) {
        let text =
            "// A comment.\n\n" + imports + "class C {\n    /// Loads.\n    ///\n    /// - Parameter completion: C.\n"
            + "    func a(completion: @escaping (Int) -> Void) {}\n    let b = 1\n}\n"
        let result = wrapped(text.replacing("\n", with: "\r\n"))
        #expect(result.text == wrapped(text).text.replacing("\n", with: "\r\n"))
        #expect(result.difference.replacing("\r\n", with: "\n") == wrapped(text).difference)
    }

    @Test func `Calls a function with self if a parameter has its name`() {
        let function = "func url(url: Int, completion: @escaping (Int) -> Void) {}"
        #expect(
            wrapped("class C {\n    \(function)\n}\n").text
                .contains("func url(url: Int) -> Future<Int> { future { self.url(url: url, completion: $0) } }"))
        let global = wrapped(function)
        #expect(!global.isChanged)
        #expect(global.skipped.first?.reason.contains("hides the function's name") == true)
    }

    @Test func `Wraps a function beside code that is nested as deeply as the parser reads`() {
        let deep = String(repeating: "(", count: 300) + "1" + String(repeating: ")", count: 300)
        let result = wrapped("func a(completion: @escaping (Int) -> Void) {}\nlet x = \(deep)\n")
        #expect(result.isChanged)
        #expect(result.skipped.isEmpty)
    }

    @Test func `Keeps an overload that is in another file`() {
        let first = SourceFile(path: "a.swift", text: "class C { func a(completion: @escaping (Int) -> Void) {} }")
        let second = SourceFile(path: "b.swift", text: "extension C { func a() -> Future<Int> { x } }")
        let context = WrapContext([FileFacts(first), FileFacts(second)])
        #expect(!wrap(first, in: context).isChanged)
    }

    @Test func `Writes one overload for a requirement and its default implementation`() {
        let text = """
            protocol P { func a(_ b: any Q, completion: @escaping (Int) -> Void) }
            extension P { func a(_ b: Q, completion: @escaping (Int) -> Void) {} }
            extension P { func a(_ b: Int, completion: @escaping (Int) -> Void) {} }
            """
        let result = wrapped(text, WrapOptions(async: true))
        #expect(result.changes.count == 4)  // a future and an async overload of each
        #expect(result.text.contains("    func a(_ b: any Q) -> Future<Int> { future { a(b, completion: $0) } }"))
        #expect(result.text.contains("func a(_ b: Int) -> Future<Int>"))
        #expect(!result.text.contains("func a(_ b: Q) "))
    }

    @Test(arguments: [
        ("static func a(_ done: @escaping (Int) -> Void)", "func a(_ done: @escaping (Int) -> Void)"),
        ("func a<T: Q>(b: T, done: @escaping () -> Void)", "func a<T: R>(b: T, done: @escaping () -> Void)"),
    ])
    func `Wraps a function beside a requirement that it doesn't implement`(_ requirement: String, function: String) {
        let result = wrapped("protocol P { \(requirement) }\nextension P {\n    \(function) {}\n}\n")
        #expect(result.changes.contains { $0.hasPrefix("test.swift:3:") })
    }

    @Test func `Constrains only the generic parameters of the extended type and of those around it`() {
        let types = "enum A { struct I {} }\nenum B<W> { struct I<V> {} }\nstruct V {}\n"
        let function = "func a(completion: @escaping (V, W) -> Void) {}"
        let text = types + "extension A.I { \(function) }\nextension B.I { \(function) }\n"
        let result = wrapped(text).text
        #expect(result.contains("a() -> Future<(V, W)> { future { a(completion: $0) } }"))
        #expect(result.contains("a() -> Future<(V, W)> where W: Sendable, V: Sendable {"))
    }

    @Test(arguments: [
        ("func a(id: Int) throws -> Int { 1 }", true), ("func a(id: Int, c: Int = 1) throws {}", true),
        ("func a(_ id: Int) throws -> Int { 1 }", false), ("func b(id: Int) throws -> Int { 1 }", false),
    ])
    func `Keeps the meaning of calls of a synchronous function with the same labels`(_ other: String, isKept: Bool) {
        let text = "struct S {\n    func a(id: Int, b: Int = 1, completion: @escaping (Int) -> Void) {}\n}\n"
        let first = SourceFile(path: "a.swift", text: text)
        let second = SourceFile(path: "b.swift", text: "extension S { \(other) }")
        let result = wrap(first, in: WrapContext([FileFacts(first), FileFacts(second)]))
        #expect(result.text.contains("    @_disfavoredOverload\n    func a(id: Int, b: Int = 1) -> Future") == isKept)
    }

    @Test func `Keeps the lists of a doc comment, and removes all of an item`() {
        let text = """
            class C {
                /**
                 Loads.

                 - Parameters:
                    - id: The ID.
                    - completion: Called with
                 the number.
                  */
                func a(id: Int, completion: @escaping (Int) -> Void) -> Task {}
            }

            """
        let comment = """

                /// Loads.
                ///
                /// - Parameters:
                ///    - id: The ID.
                ///    - cancelToken: Cancels the call.
                /// - Returns: A future of the result.
                func a(id: Int, cancelToken: CancelToken)
            """
        #expect(wrapped(text).text.contains(comment))
        #expect(wrapped(text.replacing("\n", with: "\r\n")).text.replacing("\r\n", with: "\n").contains(comment))
        let bordered = text.replacing("     ", with: "     * ").replacing("     *  */", with: "     */")
        #expect(wrapped(bordered).text.contains("    /// - Parameters:\n    ///    - id: The ID.\n    ///    - cancel"))
    }

    @Test(arguments: ["## Example", "```", "* Note: More.", "+ Note: More.", "1. One", "> More."])
    func `Keeps what follows a removed item of a doc comment`(_ line: String) {
        let comment = "/// Loads.\n/// - Parameter completion: Called\n/// once.\n/// \(line)\n"
        let result = wrapped(comment + "func a(completion: @escaping (Int) -> Void) {}\n")
        #expect(result.text.contains("\n/// Loads.\n/// \(line)\n///\n/// - Returns:"))
    }

    @Test(arguments: [
        ("Loads.\n///\n/// Calls `done` once.", "Loads."),
        ("Loads. Then calls\n/// `done`. Is slow, e.g. `load`.", "Loads. Is slow, e.g. `load`."),
        ("Loads.\n///\n/// Slow. `done` gets it.\n///\n/// End.", "Loads.\n///\n/// Slow.\n///\n/// End."),
        ("Calls `done`.", "Calls `done`."), ("Loads.\n///\n/// ```\n/// f(`done`)\n/// ```", nil),
    ])
    func `A doc comment leaves out the sentences about the completion handler`(_ theirs: String, ours: String?) {
        let text = "/// \(theirs)\nfunc a(done: @escaping (Int) -> Void) {}\n"
        let comment = "\n\n/// \(ours ?? theirs)\n///\n/// - Returns: A future of the result.\nfunc a() -> Future<Int>"
        #expect(wrapped(text).text.contains(comment))
    }

    @Test(arguments: [
        ("_ a: Int, _ b: Bool", "(a: Int, b: Bool)", "(Int, Bool)"),
        ("_ a: Int?, _ b: Bool?, _ error: Error?", "(a: Int, b: Bool)", "(Int, Bool)"),
        ("_ a: Int, Bool", "(a: Int, Bool)", "(Int, Bool)"), ("_ a: Int, _ _: Bool", "(a: Int, Bool)", "(Int, Bool)"),
        ("_ a: Int, _ a: Bool", "(Int, Bool)", "(Int, Bool)"), ("_ a: Int", "Int", "Int"),
    ])
    func `The async overload names the values as the handler does`(_ handler: String, async: String, future: String) {
        let result = wrapped("func f(completion: @escaping (\(handler)) -> Void) {}\n", WrapOptions(async: true))
        #expect(result.text.contains("func f() async throws -> \(async) {"))
        #expect(result.text.contains("func f() -> Future<\(future)> {"))
        #expect(result.notes.isEmpty)
    }

    @Test func `A note says that an error stays among the values`() {
        let result = wrapped("func f(completion: @escaping (Int, Error?, Bool) -> Void) {}\n")
        #expect(result.notes.map(\.place) == ["test.swift:1: f(completion:)"])
        #expect(result.notes[0].reason.hasPrefix("The error is one of the values in the tuple"))
    }

    @Test func `Shows the change with the lines around it`() {
        let text = "let a = 1\nlet b = 2\nlet c = 3\nlet d = 4\nfunc a(completion: @escaping (Int) -> Void) {}\n"
        let difference = wrapped(text).difference
        #expect(
            difference.hasPrefix(
                "--- test.swift\n+++ test.swift\n@@ -1,5 +1,9 @@\n+import SimpleFutures\n+\n let a = 1\n")
        )
        #expect(difference.contains("\n+func a() -> Future<Int> { future { a(completion: $0) } }\n"))
        #expect(!difference.contains("let e"))
    }
}
