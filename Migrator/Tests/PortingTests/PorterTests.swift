import Foundation
import Porting
import SourceFiles
import Testing

@Suite struct `A ported file` {
    @Test func `A file without the library is left out`() {
        let file = SourceFile(path: "File.swift", text: "let p = Promise<Int>()")
        #expect(Porter(from: .promisekit).port(file) == nil)
        #expect(Porter(from: .promisekit, assumesImport: true).port(file)?.calls.count == 1)
    }

    @Test func `The import is replaced when nothing is left, and joined while something is`() {
        #expect(port("let p: Promise<Int>", from: .promisekit)?.after == "import SimpleFutures\nlet p: Future<Int>")
        #expect(
            port("let p: Promise<Int>\nlet e = PMKError.badInput", from: .promisekit)?.after
                == "import PromiseKit\nimport SimpleFutures\nlet p: Future<Int>\nlet e = PMKError.badInput")
        #expect(port("let a = 1", from: .promisekit)?.after == "import PromiseKit\nlet a = 1")
        #expect(
            port("let f: Future<Int, E>", from: .brightfutures)?.after
                == "import SimpleFutures\nimport SimpleFuturesInterop\nlet f: TypedFuture<Int, E>")
    }

    @Test func `A second run changes nothing`() throws {
        let once = try #require(port("func f() -> Promise<Int> { load().then { a($0) } }", from: .promisekit)).after
        let twice = Porter(from: .promisekit, assumesImport: true).port(SourceFile(path: "File.swift", text: once))
        #expect(twice?.after == once)
    }

    @Test func `The diff has three lines around a change`() throws {
        let text = "import SimpleFutures\n2\n3\n4\nlet p: Promise<Int>\n6\n7\n8\n9"
        let diff = try #require(
            Porter(from: .promisekit, assumesImport: true).port(SourceFile(path: "F.swift", text: text))
        ).diff
        #expect(
            diff
                == "--- F.swift\n+++ F.swift\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-let p: Promise<Int>\n+let p: Future<Int>\n 6\n 7\n 8\n"
        )
    }

    @Test func `A ported file keeps its line ends, and its diff has no line after the last`() throws {
        let text = "let p: Promise<Int>\nlet e = PMKError.badInput\n"
        let file = try #require(port(text, from: .promisekit))
        let other = SourceFile(path: file.path, text: file.before.replacing("\n", with: "\r\n"))
        let ported = try #require(Porter(from: .promisekit).port(other))
        #expect(ported.after == file.after.replacing("\n", with: "\r\n"))
        #expect(ported.diff.replacing("\r\n", with: "\n") == file.diff)
        #expect(file.diff.hasSuffix("\n let e = PMKError.badInput\n"))
    }

    @Test func `Counts are by row, the most frequent first`() {
        let files = [port("let a: Promise<Int>\nlet b: Promise<Int>\nlet c = PMKError.badInput", from: .promisekit)]
            .compactMap(\.self)
        let report = PortReport(files)
        #expect(report.counts.map(\.calls) == [2, 1])
        #expect(report.counts.map(\.rewritten) == [2, 0])
        #expect((report.calls, report.rewritten, report.left) == (3, 2, 1))
        #expect(report.table(of: .promisekit).contains("3 calls in 1 file: 2 rewritten, 0 the same, 1 left."))
    }

    @Test func `A report of one call in one file uses the singular`() {
        let report = PortReport([port("let a: Promise<Int>", from: .promisekit)].compactMap(\.self))
        #expect(report.table(of: .promisekit).contains("\n1 call in 1 file: 1 rewritten"))
    }

    /// Calls that the pages leave out, as there is little to say: the tool does.
    private static let onlyHere: Set = [
        "`.cauterize()`", "`flags: .barrier`", "`CancellablePromise`, `cancellize()`, `.cancel()`", "`NoError`",
        "`ignoreOutput()`", "`print()`, `breakpoint()`",
    ]

    /// A page puts several calls into one row, so the names are compared.
    @Test(arguments: Library.allCases)
    func `A call that is counted is named in a row of the page`(_ library: Library) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        let page = folder.appending(path: "SimpleFuturesInterop/SimpleFuturesInterop.docc/\(library.page)").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let cells = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .compactMap { $0.split(separator: "|").first.map { $0.trimmingCharacters(in: .whitespaces) } }
        func names(in text: String) -> Set<Substring> { Set(text.split { !$0.isLetter }.filter { $0.count >= 3 }) }
        let known = names(in: cells.joined(separator: " "))
        for row in Porter.rows(of: library) where !Self.onlyHere.contains(row.theirs) {
            let isNamed = !names(in: row.theirs).isDisjoint(with: known)
            #expect(isNamed, "\(row.theirs) is in no row of \(library.page)")
        }
    }

    @Test(arguments: [
        ("func f() -> Promise<Int>", "import SimpleFutures\n\nfunc f() -> Future<Int>"),
        (
            "// A file.\n\n/// Loads.\nfunc f() -> Promise<Int>",
            "// A file.\n\nimport SimpleFutures\n\n/// Loads.\nfunc f() -> Future<Int>"
        ),
        (
            "import UIKit // views\nlet a: Promise<Int>",
            "import UIKit // views\nimport SimpleFutures\nlet a: Future<Int>"
        ),
        (
            "#if canImport(PromiseKit)\nimport PromiseKit\n#endif\nimport UIKit\nlet a: Promise<Int>",
            "#if canImport(PromiseKit)\nimport PromiseKit\n#endif\nimport UIKit\nimport SimpleFutures\nlet a: Future<Int>"
        ),
    ])
    func `A file without an import of the library gets an import too`(before: String, after: String) {
        let files = [SourceFile(path: "File.swift", text: before)]
        #expect(port(files, by: Porter(from: .promisekit, assumesImport: true)).first?.after == after)
    }
}
