import Callbacks
import Foundation
import SourceFiles
import Testing

@testable import Wrapping

/// An input, and what `wrap` makes of it.
///
/// The outputs are compiled as the targets WrappedSwift5 and WrappedSwift6.
///
/// To write the outputs anew: `UPDATE_WRAPPED=1 swift test --filter WrappingTests`, then read the difference.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let options: WrapOptions
    var testDescription: String { name }

    static let all = [
        Fixture(name: "Shapes.swift", options: WrapOptions(async: true)),
        Fixture(name: "Places.swift", options: WrapOptions(async: true)),
        Fixture(name: "Shells.swift", options: WrapOptions(callback: true)),
        Fixture(name: "Delegates.swift", options: WrapOptions(delegates: true)),
    ]

    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    var input: URL { Self.tests.appendingPathComponent("WrappingTests/Fixtures/\(name)") }
    func output(_ mode: String) -> URL { Self.tests.appendingPathComponent("Wrapped/\(mode)/\(name)") }

    func wrapped(_ text: String) -> WrappedFile {
        let file = SourceFile(path: name, text: text)
        return wrap(file, in: WrapContext([FileFacts(file)]), options: options)
    }
}

@Suite struct WrappingFixtures {
    @Test(arguments: Fixture.all, ["Swift5", "Swift6"])
    func `Wrapping a fixture gives the file that is compiled against the library`(_ fixture: Fixture, mode: String)
        throws
    {
        let result = fixture.wrapped(try String(contentsOf: fixture.input, encoding: .utf8))
        if ProcessInfo.processInfo.environment["UPDATE_WRAPPED"] != nil {
            try replaceFiles([(fixture.output(mode).path, result.text)])
        }
        #expect(result.text == (try String(contentsOf: fixture.output(mode), encoding: .utf8)))
    }

    @Test(arguments: Fixture.all)
    func `Wrapping twice changes nothing`(_ fixture: Fixture) throws {
        let once = fixture.wrapped(try String(contentsOf: fixture.input, encoding: .utf8))
        #expect(once.isChanged)
        let twice = fixture.wrapped(once.text)
        #expect(twice.changes.isEmpty)
        #expect(twice.text == once.text)
    }
}
