import Linting
import SourceFiles
import Testing

@Suite struct Diagnostics {
    private let hang = "withCheckedContinuation { c in\n    if ready { c.resume() }\n}"

    @Test func `A finding has the format of the compiler, and a note that says what to write`() throws {
        let finding = try #require(findings(of: .notResumed, in: hang).first)
        let lines = finding.diagnostic.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines[0]
                == "File.swift:2:5: warning: `c` isn't resumed if this condition is false, and the task waits forever [continuation-not-resumed]"
        )
        #expect(lines[1].hasPrefix("File.swift:2:5: note: resume it on this path too"))
    }

    @Test func `A comment with a reason suppresses its line and the next`() {
        let before = hang.replacing("    if ready", with: "    // migrator:ignore ready is always true\n    if ready")
        #expect(lines(of: .notResumed, in: before) == [])
        let beside = hang.replacing("c.resume() }", with: "c.resume() } // migrator:ignore ready is always true")
        #expect(lines(of: .notResumed, in: beside) == [])
        #expect(lines(of: .notResumed, in: "// migrator:ignore far away\n\n" + hang) == [4])
    }

    @Test func `A comment without a reason suppresses nothing and is found itself`() {
        let text = hang.replacing("    if ready", with: "    // migrator:ignore\n    if ready")
        #expect(findings(of: .notResumed, in: text).map(\.rule) == [.ignoreReason, .notResumed])
        let dashes = hang.replacing("    if ready", with: "    // migrator:ignore --\n    if ready")
        #expect(findings(of: .notResumed, in: dashes).map(\.rule) == [.ignoreReason, .notResumed])
    }

    @Test func `A continuation without a cancellation handler is found when asked for`() {
        let text = "func load() async { await withCheckedContinuation { $0.resume() } }"
        #expect(lines(of: .notCancellable, in: text) == [1])
        #expect(Linter().findings(in: SourceFile(path: "File.swift", text: text)) == [])
        let handled =
            "func load() async { await withTaskCancellationHandler { await withCheckedContinuation { $0.resume() } } onCancel: {} }"
        #expect(lines(of: .notCancellable, in: handled) == [])
    }

    @Test func `Findings come from top to bottom`() {
        let text =
            hang + "\n" + hang + "\nfunc f() {\nlet s = DispatchSemaphore(value: 0)\nload { s.signal() }\ns.wait()\n}"
        let found = Linter().findings(in: SourceFile(path: "File.swift", text: text))
        #expect(found.map(\.position.line) == [2, 5, 10])
    }
}
