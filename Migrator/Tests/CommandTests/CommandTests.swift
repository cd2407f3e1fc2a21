import Foundation
import Testing

/// Runs the built executable.
struct Run {
    let output: String
    let errors: String
    let status: Int32

    init(_ arguments: String..., in folder: URL) throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Small outputs, which fit in the buffers of the pipes.
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    private static var executable: URL {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        return (tests.pathExtension == "xctest" ? tests.deletingLastPathComponent() : tests)
            .appendingPathComponent("migrator")
    }
}

/// A folder that is removed at the end of a test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("migrator-\(UUID().uuidString)")

    init(_ files: [String: String]) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: url.appendingPathComponent(name)) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func text(_ name: String) throws -> String {
        try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
}

private let client = "class Client {\n    func load(completion: @escaping (Int?, Error?) -> Void) {}\n}\n"

@Suite struct Commands {
    @Test func `Scan prints the table, the line of progress, or JSON, and exits with 0`() throws {
        let folder = try Folder(["client.swift": client])
        let table = try Run("scan", ".", in: folder.url)
        #expect(table.output.contains("Client.load(completion:)"))
        #expect(table.output.hasSuffix("0 of 1 wrapped, 0 awaited\n"))
        #expect(table.status == 0)
        #expect(table.errors == "")
        #expect(try Run("scan", ".", "--progress", in: folder.url).output == "0 of 1 wrapped, 0 awaited\n")
        let json = try Run("scan", ".", "--json", in: folder.url).output
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
    }

    @Test func `Scan names files that could not be parsed at the end, and exits with 1`() throws {
        let folder = try Folder(["client.swift": client, "broken.swift": "func ("])
        let run = try Run("scan", ".", "none.swift", in: folder.url)
        #expect(run.output.contains("Client.load(completion:)"))
        #expect(run.errors.contains("2 paths were left out"))
        #expect(run.errors.contains("broken.swift: The file could not be parsed: line 1"))
        #expect(run.errors.contains("none.swift: There is no such file"))
        #expect(run.status == 1)
    }

    @Test func `A baseline is written with --write alone, and fails when the number rises`() throws {
        let folder = try Folder(["client.swift": client])
        let missing = try Run("scan", ".", "--baseline", "left.json", in: folder.url)
        #expect(missing.status == 1)
        #expect(missing.errors.contains("left.json doesn't exist. To write a baseline, run this command again"))
        #expect(try folder.names == ["client.swift"])
        #expect(try Run("scan", ".", "--baseline", "left.json", "--write", in: folder.url).status == 0)
        #expect(try Run("scan", ".", "--baseline", "left.json", in: folder.url).status == 0)
        try Data(client.utf8).write(to: folder.url.appendingPathComponent("second.swift"))
        let run = try Run("scan", ".", "--baseline", "left.json", in: folder.url)
        #expect(run.status == 1)
        #expect(run.errors.contains("2 functions are left to wrap, and left.json allows 1"))
    }

    @Test func `Wrap shows the change and writes nothing without --write`() throws {
        let folder = try Folder(["client.swift": client])
        let shown = try Run("wrap", "client.swift", in: folder.url)
        #expect(shown.output.contains("+    func load() -> Future<Int> { future { load(completion: $0) } }"))
        #expect(shown.errors.contains("run this command again with `--write`"))
        #expect(try folder.text("client.swift") == client)
        let written = try Run("wrap", "client.swift", "--write", in: folder.url)
        #expect(written.status == 0)
        #expect(try folder.text("client.swift").hasPrefix("import SimpleFutures\n\nclass Client {"))
        #expect(try folder.names == ["client.swift"])
        let once = try folder.text("client.swift")
        #expect(try Run("wrap", "client.swift", "--write", in: folder.url).errors.contains("Nothing to write."))
        #expect(try folder.text("client.swift") == once)
        #expect(try Run("scan", ".", "--progress", in: folder.url).output == "1 of 1 wrapped, 0 awaited\n")
    }

    @Test func `Wrap names an --only that selects nothing, and exits with 1`() throws {
        let folder = try Folder(["client.swift": client])
        let run = try Run("wrap", ".", "--only", "load", "--only", "laod", in: folder.url)
        #expect(run.output.contains("func load() -> Future<Int>"))
        #expect(run.errors.contains("`--only laod` selects nothing in the given paths."))
        #expect(!run.errors.contains("--only load`"))
        #expect(run.status == 1)
        #expect(try Run("wrap", ".", "--only", "Client.load(completion:)", in: folder.url).status == 0)
    }

    @Test func `From finds the subjects of other files`() throws {
        let folder = try Folder([
            "a.swift": "import Combine\nfunc f() { service.taps.send(3) }\n",
            "b.swift": "import Combine\nclass Service { let taps = PassthroughSubject<Int, Never>() }\n",
        ])
        #expect(try Run("from", "combine", ".", "--write", in: folder.url).status == 0)
        #expect(try folder.text("a.swift") == "import SimpleFutures\nfunc f() { service.taps.success(3) }\n")
    }

    @Test func `Wrap leaves a file alone that doesn't parse`() throws {
        let folder = try Folder(["broken.swift": client + "func ("])
        #expect(try Run("wrap", ".", "--write", in: folder.url).status == 1)
        #expect(try folder.text("broken.swift") == client + "func (")
    }

    @Test(arguments: ["scan", "wrap"])
    func `Each command has a help with examples`(_ command: String) throws {
        let folder = try Folder([:])
        let help = try Run(command, "--help", in: folder.url)
        #expect(help.status == 0)
        #expect(help.output.contains("migrator \(command) Sources"))
    }
}
