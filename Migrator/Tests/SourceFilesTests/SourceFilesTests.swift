import Foundation
import SwiftSyntax
import Testing

@testable import SourceFiles

/// A folder that is removed at the end of a test.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/migrator-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

@Suite struct FindingFiles {
    @Test func `Finds Swift files below a folder, sorted, and no others`() throws {
        let folder = try TemporaryFolder()
        for name in ["b.swift", "a/c.swift", "a/d.txt", "e.swift.orig"] { try folder.write("", to: name) }
        let found = findSourceFiles(in: [folder.path])
        #expect(found.paths == ["a/c.swift", "b.swift"].map { folder.path + "/" + $0 })
        #expect(found.problems.isEmpty)
    }

    @Test func `Skips the folders of dependencies unless asked for them`() throws {
        let folder = try TemporaryFolder()
        for name in [".build/a.swift", "Pods/b.swift", "x/Carthage/c.swift", "d.swift"] {
            try folder.write("", to: name)
        }
        #expect(findSourceFiles(in: [folder.path]).paths == [folder.path + "/d.swift"])
        #expect(findSourceFiles(in: [folder.path], includesDependencies: true).paths.count == 4)
    }

    @Test func `Doesn't follow a link inside of a folder, but takes one that is given`() throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try outside.write("", to: "outside.swift")
        try folder.write("", to: "inside.swift")
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside.path)
        #expect(findSourceFiles(in: [folder.path]).paths == [folder.path + "/inside.swift"])
        #expect(findSourceFiles(in: [link]).paths == [link + "/outside.swift"])
    }

    @Test func `Names a path that doesn't exist, and finds each file once`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "a.swift")
        let found = findSourceFiles(in: [folder.path, file, folder.path + "/", folder.path + "/none"])
        #expect(found.paths == [file])
        #expect(found.problems.map(\.path) == [folder.path + "/none"])
    }
}

@Suite struct ReadingFiles {
    @Test func `Gives results in the order of the paths, and names what is no Swift`() throws {
        let folder = try TemporaryFolder()
        var paths: [String] = []
        for index in 0..<40 { paths.append(try folder.write("let value = \(index)", to: "\(index).swift")) }
        paths.insert(try folder.write("func (", to: "broken.swift"), at: 3)
        paths.insert(folder.path + "/none.swift", at: 5)
        let latin = folder.path + "/latin.swift"
        try Data([0x2F, 0x2F, 0xE9]).write(to: URL(fileURLWithPath: latin))
        paths.append(latin)
        let mapped = mapSourceFiles(paths) { $0.text }
        #expect(mapped.outputs == (0..<40).map { "let value = \($0)" })
        #expect(
            mapped.problems.map { URL(fileURLWithPath: $0.path).lastPathComponent } == [
                "broken.swift", "none.swift", "latin.swift",
            ])
        try #require(mapped.problems.count == 3)
        #expect(mapped.problems[0].reason.contains("line 1, column"))
        #expect(mapped.problems[1].reason.contains("could not be read"))
        #expect(mapped.problems[2].reason.contains("UTF-8"))
    }

    @Test func `Parses a long chain of calls`() throws {
        let folder = try TemporaryFolder()
        let text = "let x = a" + String(repeating: ".b(1)", count: 2000)
        let path = try folder.write(text, to: "deep.swift")
        #expect(mapSourceFiles([path]) { _ in 1 }.outputs == [1])
    }

    @Test func `Counts lines and columns from 1`() {
        let file = SourceFile(path: "a.swift", text: "// é\n  func a() {}")
        #expect(file.position(of: file.tree.statements.first!) == Position(line: 2, column: 3))
    }
}

@Suite struct ReplacingFiles {
    @Test func `Replaces files whole, keeps their permissions, and leaves nothing beside them`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old", to: "a.swift")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try replaceFiles([(path, "new")])
        #expect(try folder.text(of: "a.swift") == "new")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try folder.names == ["a.swift"])
    }

    @Test func `Keeps a byte order mark, which is not in the text that is read`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("\u{FEFF}let a = 1", to: "a.swift")
        let text = try readSourceFile(path).get().text
        #expect(text == "let a = 1")
        try replaceFiles([(path, text)])
        #expect(FileManager.default.contents(atPath: path) == Data("\u{FEFF}let a = 1".utf8))
    }

    @Test func `Changes no file if one of them cannot be written`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old", to: "a.swift")
        let error = #expect(throws: WriteProblem.self) {
            try replaceFiles([(path, "new"), (folder.path + "/none/b.swift", "new")])
        }
        #expect(error?.description.contains("No file was changed.") == true)
        #expect(error?.description.contains("..") == false)
        #expect(try folder.text(of: "a.swift") == "old")
        #expect(try folder.names == ["a.swift"])
    }

    @Test func `Keeps a file that is read-only`() throws {
        let folder = try TemporaryFolder()
        let (first, second) = (try folder.write("old", to: "a.swift"), try folder.write("old", to: "b.swift"))
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: second)
        let error = #expect(throws: WriteProblem.self) { try replaceFiles([(first, "new"), (second, "new")]) }
        #expect(error?.description.contains("b.swift could not be written: The file is read-only. Check") == true)
        #expect(try folder.names == ["a.swift", "b.swift"])
        #expect(try folder.text(of: "a.swift") == "old")
        #expect(try folder.text(of: "b.swift") == "old")
    }

    @Test func `Replaces what a link points to and keeps the link`() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "a.swift")
        let link = folder.path + "/link.swift"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/a.swift")
        try replaceFiles([(link, "new")])
        #expect(try folder.text(of: "a.swift") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == folder.path + "/a.swift")
    }
}

@Suite struct ShowingProgress {
    @Test func `Shows how many files are done`() {
        let bar = ProgressBar(total: 200, isTerminal: false)
        #expect(bar.text(at: 100)?.hasSuffix("50 % of 200 files") == true)
        #expect(bar.text(at: 100)?.filter { $0 == "█" }.count == 15)
    }
}
