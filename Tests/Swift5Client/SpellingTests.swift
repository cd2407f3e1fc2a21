import Foundation
import Testing

/// A declaration of Deprecated.swift, in calls as they were written for SimpleFutures 0.1 and as the fix-its leave them.
struct Spelling {
    let declaration: String
    let old: [String]
    let today: [String]

    init(_ declaration: String, old: String, today: String) {
        self.declaration = declaration
        self.old = old.components(separatedBy: "\n")
        self.today = today.components(separatedBy: "\n")
    }

    static let all = [
        Spelling(
            "Future.onComplete",
            old: """
                number.onComplete(executionContext: here) { print($0) }
                number.onComplete(executionContext: here, complete: { print($0) })
                """,
            today: """
                number.onComplete(context: here) { print($0) }
                number.onComplete(context: here, completion: { print($0) })
                """),
        Spelling(
            "Future.onSuccess",
            old: """
                number.onSuccess(executionContext: here) { total += $0 }
                number.onSuccess(executionContext: here, success: { total += $0 })
                """,
            today: """
                number.onSuccess(context: here) { total += $0 }
                number.onSuccess(context: here, completion: { total += $0 })
                """),
        Spelling(
            "Future.onFailure",
            old: """
                number.onFailure(executionContext: here) { print($0) }
                number.onFailure(executionContext: here, failure: { print($0) })
                """,
            today: """
                number.onFailure(context: here) { print($0) }
                number.onFailure(context: here, completion: { print($0) })
                """),
        Spelling(
            "Future.flatmap",
            old: """
                _ = number.flatmap { Future(value: $0) }
                _ = number.flatmap(mapping: describe)
                _ = number.flatmap(executionContext: here) { number -> Future<String> in describe(number) }
                _ = number.flatmap(executionContext: here, mapping: describe)
                """,
            today: """
                _ = number.flatMap { Future(value: $0) }
                _ = number.flatMap(mapping: describe)
                _ = number.flatMap(context: here) { number -> Future<String> in describe(number) }
                _ = number.flatMap(context: here, mapping: describe)
                """),
        Spelling(
            "Future.recoverWith",
            old: """
                _ = number.recoverWith(executionContext: here) { _ -> Future<Int> in number }
                _ = number.recoverWith(executionContext: here, recovery: { _ in number })
                """,
            today: """
                _ = number.recoverWith(context: here) { _ -> Future<Int> in number }
                _ = number.recoverWith(context: here, recovery: { _ in number })
                """),
        Spelling(
            "Future.withFilter",
            old: """
                _ = number.withFilter(executionContext: here) { $0 > 0 }
                _ = number.withFilter(executionContext: here, filter: { $0 > 0 })
                """,
            today: """
                _ = number.withFilter(context: here) { $0 > 0 }
                _ = number.withFilter(context: here, filter: { $0 > 0 })
                """),
        Spelling(
            "Future.foreach",
            old: """
                number.foreach { total += $0 }
                number.foreach(apply: { total += $0 })
                number.foreach(executionContext: here) { print($0) }
                number.foreach(executionContext: here, apply: { print($0) })
                """,
            today: """
                number.forEach { total += $0 }
                number.forEach(apply: { total += $0 })
                number.forEach(context: here) { print($0) }
                number.forEach(context: here, apply: { print($0) })
                """),
        Spelling(
            "Future.completeWith",
            old: """
                number.completeWith(executionContext: here, future: promise.future)
                """,
            today: """
                number.completeWith(context: here, future: promise.future)
                """),
        Spelling(
            "Promise.completeWith",
            old: """
                promise.completeWith(executionContext: here, future: number)
                """,
            today: """
                promise.completeWith(context: here, future: number)
                """),
        Spelling(
            "Try.Success",
            old: """
                promise.complete(.Success(1))
                _ = Try<Int>.Success(1)
                _ = [1, 2].map(Try.Success)
                """,
            today: """
                promise.complete(.success(1))
                _ = Try<Int>.success(1)
                _ = [1, 2].map(Try.success)
                """),
        Spelling(
            "Try.Failure",
            old: """
                promise.complete(.Failure(error))
                _ = Try<Int>.Failure(error)
                """,
            today: """
                promise.complete(.failure(error))
                _ = Try<Int>.failure(error)
                """),
        Spelling(
            "TryError",
            old: """
                _ = error is TryError
                promise.failure(TryError.noSuchElement)
                """,
            today: """
                _ = error is FuturesError
                promise.failure(FuturesError.noSuchElement)
                """),
        Spelling(
            "FuturesError.filterFailed",
            old: """
                promise.failure(TryError.filterFailed)
                _ = error as? FuturesError == .filterFailed
                """,
            today: """
                promise.failure(FuturesError.noSuchElement)
                _ = error as? FuturesError == .noSuchElement
                """),
    ]

    /// What no new name can serve, and a message must: it works, and there is no fix-it to leave it half right.
    static let withoutFixIt = [
        Spelling(
            "Future.map",
            old: """
                _ = number.map(executionContext: here) { number -> Try<String> in Try(String(number)) }
                _ = number.map(executionContext: here, mapping: { Try($0 + 1) })
                """,
            today: "use map(context:mapping:)"),
        Spelling(
            "Future.recover",
            old: """
                _ = number.recover(executionContext: here) { Try($0) }
                _ = number.recover(executionContext: here, recovery: { _ in Try(1) })
                """,
            today: "use recover(context:recovery:)"),
        Spelling(
            "Future.andThen",
            old: """
                _ = number.andThen(executionContext: here) { print($0) }
                _ = number.andThen(executionContext: here, complete: { print($0.isSuccess()) })
                """,
            today: "use andThen(context:completion:)"),
    ]
}

extension Spelling {
    /// Today's calls with mistakes in their labels: old spellings must not be what the compiler takes them for.
    static let mistaken = Spelling(
        "",
        old: """
            number.onComplete(here) { print($0) }
            number.onSuccess(here) { total += $0 }
            number.onFailure(here) { print($0) }
            number.forEach(here) { total += $0 }
            _ = number.map(here) { $0 + 1 }
            _ = number.flatMap(here) { describe($0) }
            _ = number.recoverWith(here) { _ in number }
            _ = number.withFilter(here) { $0 > 0 }
            _ = number.andThen(here) { total += $0 }
            number.onSuccess(contxt: here) { total += $0 }
            number.onSuccess(context: here, completon: { total += $0 })
            number.onSuccess(completon: { total += $0 })
            """,
        today: """
            number.onComplete(context: here) { print($0) }
            number.onSuccess(context: here) { total += $0 }
            number.onFailure(context: here) { print($0) }
            number.forEach(context: here) { total += $0 }
            _ = number.map(context: here) { $0 + 1 }
            _ = number.flatMap(context: here) { describe($0) }
            _ = number.recoverWith(context: here) { _ in number }
            _ = number.withFilter(context: here) { $0 > 0 }
            _ = number.andThen(context: here) { total += $0 }
            number.onSuccess(context: here) { total += $0 }
            number.onSuccess(context: here, completion: { total += $0 })
            number.onSuccess(completion: { total += $0 })
            """)
}

@Suite("Spellings of SimpleFutures 0.1", .compiler)
struct SpellingTests {
    @Test func `the compiler's fix-its turn each into today's, which compiles without a warning`() async throws {
        let old = Self.source(of: Spelling.all.flatMap(\.old))
        let diagnostics = try await Compiler.typeCheck(old)
        #expect(diagnostics.filter { $0.severity != .warning }.map(\.description) == [])
        let mended = old.applying(diagnostics.flatMap(\.remedy))
        // Line by line, so that what is different shows.
        #expect(mended.lines == Self.source(of: Spelling.all.flatMap(\.today)).lines)
        #expect(try await Compiler.typeCheck(mended).map(\.description) == [])
    }

    @Test func `a mistake in today's labels is corrected to today's`() async throws {
        let mistaken = Self.source(of: Spelling.mistaken.old)
        let corrected = mistaken.applying(try await Compiler.typeCheck(mistaken).flatMap(\.remedy))
        #expect(corrected.lines == Self.source(of: Spelling.mistaken.today).lines)
        #expect(try await Compiler.typeCheck(corrected).map(\.description) == [])
    }

    @Test func `what a new name cannot serve compiles with a warning that tells what to do`() async throws {
        for spelling in Spelling.withoutFixIt {
            let diagnostics = try await Compiler.typeCheck(Self.source(of: spelling.old))
            #expect(diagnostics.map(\.severity) == spelling.old.map { _ in .warning })
            #expect(diagnostics.allSatisfy { $0.message.contains(spelling.today[0]) })
            #expect(diagnostics.flatMap(\.remedy) == [])
        }
    }

    @Test func `each declaration is there`() throws {
        let file = URL(fileURLWithPath: #filePath + "/../../../Sources/SimpleFutures/Deprecated.swift").standardized
        var type = ""
        var declarations: [String] = []
        for line in try String(contentsOf: file, encoding: .utf8).lines {
            if let match = line.firstMatch(of: #/^extension (\w+)/#) { type = "\(match.1)." }
            if line == "}" { type = "" }
            if let match = line.firstMatch(of: #/public .*(func|var|typealias) (\w+)/#) {
                declarations.append(type + match.2)
            }
        }
        #expect(declarations.sorted() == (Spelling.all + Spelling.withoutFixIt).map(\.declaration).sorted())
    }

    /// Each call in a function of its own, with everything in reach that the calls mention.
    private static func source(of calls: [String]) -> String {
        let functions = calls.enumerated().map { index, call in
            """
            func call\(index)(number: Future<Int>, promise: Promise<Int>, here: ExecutionContext, error: Error) {
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
            \(functions.joined(separator: "\n"))
            """
    }
}

extension String {
    fileprivate var lines: [Substring] { split(separator: "\n") }
}
