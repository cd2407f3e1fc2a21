import Foundation
import Testing
@testable import TestSupport

@Suite("Spellings of SimpleFutures 0.1", .compiler, .watchdog)
struct SpellingTests {
    @Test func `the compiler's fix-its turn each into today's spelling, which compiles without a warning`() async throws
    {
        let old = Self.source(of: Spelling.all.flatMap(\.old))
        let diagnostics = try await Compiler.typeCheck(old)
        #expect(diagnostics.filter { $0.severity != "warning" }.map(\.description) == [])
        let fixed = old.applying(diagnostics.flatMap(\.remedy))
        // Line by line, so that differences are visible.
        #expect(fixed.lines == Self.source(of: Spelling.all.flatMap(\.today)).lines)
        #expect(try await Compiler.typeCheck(fixed).map(\.description) == [])
    }

    @Test(arguments: [(Spelling.mistaken, 1), (Spelling.mistakenTwice, 2)])
    func `a mistake in today's labels is corrected to today's labels, a missing one of completeWith in two steps`(
        spelling: Spelling, steps: Int
    ) async throws {
        var source = Self.source(of: spelling.old)
        for _ in 0..<steps { source = source.applying(try await Compiler.typeCheck(source).flatMap(\.remedy)) }
        #expect(source.lines == Self.source(of: spelling.today).lines)
        #expect(try await Compiler.typeCheck(source).map(\.description) == [])
    }

    @Test func `calls without a new name compile with a warning that says what to do`() async throws {
        for spelling in Spelling.withoutFixIt {
            let diagnostics = try await Compiler.typeCheck(Self.source(of: spelling.old))
            #expect(diagnostics.map(\.severity) == spelling.old.map { _ in "warning" })
            #expect(diagnostics.allSatisfy { $0.message.contains(spelling.message) })
            #expect(diagnostics.flatMap(\.remedy) == [])
        }
    }

    @Test func `each declaration exists`() throws {
        let sources = URL(fileURLWithPath: #filePath + "/../../../Sources/SimpleFutures/Deprecated").standardized
        var declarations: [String] = []
        for file in ["DeprecatedFutures.swift", "DeprecatedStreams.swift"] {
            var type = ""
            for line in try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8).lines {
                if let match = line.firstMatch(of: #/^extension (\w+)/#) { type = "\(match.1)." }
                if line == "}" { type = "" }
                if let match = line.firstMatch(of: #/public .*(func|var|typealias) (\w+)/#) {
                    declarations.append(type + match.2)
                }
            }
        }
        #expect(declarations.sorted() == (Spelling.all + Spelling.withoutFixIt).flatMap(\.declarations).sorted())
    }

    /// Puts each call into a separate function, with all names that the calls use.
    private static func source(of calls: [String]) -> String {
        let functions = calls.enumerated().map { index, call in
            """
            func call\(index)(
                number: Future<Int>, promise: Promise<Int>, numbers: FutureStream<Int>, emitter: StreamPromise<Int>,
                here: ExecutionContext, error: Error
            ) {
                var total = 0
                \(call)
                total += 1
                print(total)
            }
            """
        }
        return """
            import SimpleFutures
            func describe(_ number: Int) -> Future<String> { return Future(value: "\\(number)") }
            func count(to number: Int) -> FutureStream<String> { return FutureStream(value: "\\(number)", capacity: 1) }
            \(functions.joined(separator: "\n"))
            """
    }
}

extension String {
    fileprivate var lines: [Substring] { split(separator: "\n") }
}

@Suite("A Swift 5 client: compiler diagnostics", .compiler, .watchdog)
struct WarningTests {
    @Test func `the compiler warns where a closure uses main-actor state, and nowhere else`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("App")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        let marked = try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").enumerated()
                .filter { _, line in line.hasSuffix("// warns: main-actor state") }
                .map { index, _ in "\(file.lastPathComponent):\(index + 1)" }
        }
        let diagnostics = try await Compiler.typeCheck(files)
        #expect(diagnostics.filter { $0.severity != "warning" }.map(\.description) == [])
        let warned = diagnostics.map { "\(URL(fileURLWithPath: $0.file).lastPathComponent):\($0.line)" }
        #expect(warned.sorted() == marked.sorted())
        #expect(warned.count == 11)
        #expect(diagnostics.allSatisfy { $0.message.contains("main actor-isolated") })
    }
}

@Suite("A Swift 5 client: long chains", .compiler, .watchdog)
struct ChainTests {
    // Scopes count the compiler's attempts. It gives up after a million. These chains need up to 500 with Swift 6.3.
    @Test(
        arguments: [
            "one" + String(repeating: ".flatMap { n in load(n + 1) }.map { $0.count * 2 }", count: 5),
            "one" + String(repeating: ".flatMap { n in Future(value: n * 2) }", count: 8),
            "one" + String(repeating: ".map { $0 + 1 }.recoverWith { _ in Future(value: 3) }", count: 5),
            "one" + String(repeating: ".map(isolated: { $0 + 1 }).flatMap(isolated: { load($0 + 1) })", count: 1)
                + ".map { $0.count * 2 }.timeout(.seconds(5)).recover { _ in 0 }.filter { $0 > 1 }.map { $0 + 1 }",
            "zip(one, load(1)).map { $0 + $1.count }.flatMap { load($0 + 1) }.map { [$0.count, 1] }.map { $0.reduce(0, +) }",
            "[1, 2].traverse { load($0 + 1).map { $0.count } }.map { $0.reduce(0, +) }.flatMap { load($0) }.map { $0.count }",
            "many" + String(repeating: ".flatMap { load($0 + 1) }.map { $0.count * 2 }", count: 4),
            "many.filter { $0 > 1 }.scan(0) { $0 + $1 }.distinct().map { $0 * 2 }.take(3)",
        ], ["5", "6"])
    func `the compiler need not try many meanings of a chain`(chain: String, mode: String) async throws {
        let diagnostics = try await Compiler.typeCheck(
            """
            import SimpleFutures
            import SimpleFuturesInterop
            func load(_ number: Int) -> Future<String> { Future(value: "\\(number)") }
            func show(_ one: Future<Int>, _ many: FutureStream<Int>) { \(chain).onSuccess { print($0) } }
            """, mode: [mode, "-Xfrontend", "-solver-scope-threshold=20000"])
        #expect(diagnostics.map(\.description) == [])
    }

    @Test(
        arguments: [
            "load(1).flatMap { load($0.id + 1) }.map { (user: User) in user.name }",
            "future { ask(1, $0) }.map { (user: User) in user.name }",
            "zip(load(1), Future(value: 2)).flatMap { (user: User, number: Int) in load(user.name + number) }",
        ])
    func `the type of a parameter shows the mistake in a chain`(chain: String) async throws {
        let diagnostics = try await Compiler.typeCheck(
            """
            import SimpleFutures
            struct User { var id = 1 }
            func load(_ id: Int) -> Future<User> { Future(value: User(id: id)) }
            func ask(_ id: Int, _ done: @escaping @Sendable (User?, Error?) -> Void) { done(User(id: id), nil) }
            func show() { \(chain).onSuccess { print($0) } }
            """)
        #expect(diagnostics.map(\.message).contains("value of type 'User' has no member 'name'"))
    }

    // The compiler gives up on `Try { 1 }` with these links, and on three or four pairs of `asyncMap` and `map`.
    @Test(
        arguments: [
            "Try<Int> { 1 }" + String(repeating: ".map { $0 + 1 }", count: 5),
            "load(1).asyncMap { n in let m = try await ask(n.count + 1); return try await ask(m.count + 1) }"
                + ".map { $0.count * 2 }.flatMap { load($0 + 1) }.map { $0.count + 1 }",
        ], ["5", "6"])
    func `what to write instead of a chain that is too long to check compiles`(chain: String, mode: String) async throws
    {
        let diagnostics = try await Compiler.typeCheck(
            """
            import SimpleFutures
            import SimpleFuturesInterop
            func load(_ number: Int) -> Future<String> { Future(value: "\\(number)") }
            func ask(_ number: Int) async throws -> String { "\\(number)" }
            func show() { print(\(chain)) }
            """, mode: [mode])
        #expect(diagnostics.map(\.description) == [])
    }
}
