#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing

@testable import SimpleFuturesFoundation
@testable import TestSupport

@Suite("Processes that cannot be started", .watchdog)
struct ProcessStartTests {
    /// Why the process was not started; nil if it was started, or failed in another way.
    private static func reason(_ process: Process, input: Data? = nil) async -> String? {
        guard case .failure(let error) = await process.output(input: input).outcome,
            case .notStarted(_, let reason)? = error as? ProcessError
        else { return nil }
        return reason
    }

    private static func process(_ url: URL?) -> Process {
        let process = Process()
        // Setting nil or a URL that is not a file URL ends the program.
        if let url { process.executableURL = url }
        return process
    }

    @Test func `the reason names a missing program`() async throws {
        let folder = try Folder()
        let text = try folder.file("echo hello\n", name: "text")
        #expect(await Self.reason(Self.process(nil)) == "it has no `executableURL`; set it to the path of a program")
        #expect(await Self.reason(Self.process(folder.url))?.lowercased() == "is a directory")
        #expect(
            await Self.reason(Self.process(URL(fileURLWithPath: folder.path("none")))) == "No such file or directory")
        #expect(await Self.reason(Self.process(URL(fileURLWithPath: text + "/below"))) == "Not a directory")
        #expect(await Self.reason(Self.process(URL(fileURLWithPath: text))) == "Permission denied")
        #expect(await Self.reason(Self.process(URL(fileURLWithPath: ""))) != nil)
        let error = ProcessError.notStarted(executable: "/none", reason: "No such file or directory")
        #expect(error.description == "The process /none could not be started: No such file or directory.")
        await #expect(throws: error) { try await Process.output(of: "/none").value }
        await #expect(throws: error) { try await Process.output(of: "/none").validate().value }
        let bare = await Self.reason(Self.process(URL(fileURLWithPath: "none of this name")))
        #expect(bare == "No such file or directory; PATH is not searched, so pass the full path")
    }

    @Test func `the reason names an empty path`() async throws {
        await #expect(throws: ProcessError.notStarted(executable: "", reason: "its path is empty")) {
            try await Process.output(of: "").value
        }
        let reason = "its current directory https://example.org/ is not a file URL"
        await #expect(throws: ProcessError.notStarted(executable: "/bin/ls", reason: reason)) {
            try await Process.output(of: "/bin/ls", currentDirectory: URL(string: "https://example.org/")).value
        }
    }

    @Test func `the reason of another error is its own description`() {
        struct Refused: LocalizedError {
            var errorDescription: String? { "It would rather not." }
        }
        #expect(Refused().reason == "It would rather not")
        #expect(POSIXError(.ENOENT).reason == "No such file or directory")
    }

    @Test func `the reason names a file that is not a program`() async throws {
        let folder = try Folder()
        let text = try await folder.program("\u{1}\u{2}\u{3}", name: "text")
        let orphan = try await folder.program("#!/none/sh\n", name: "orphan")
        #expect(await Self.reason(Self.process(URL(fileURLWithPath: text))) != nil)
        #expect(await Self.reason(Self.process(URL(fileURLWithPath: orphan))) != nil)
    }

    @Test func `the reason names the current directory`() async throws {
        let folder = try Folder()
        let program = try await folder.program("#!/bin/sh\n", name: "program")
        for (path, problem) in [(folder.path("none"), "No such file or directory"), (program, "Not a directory")] {
            let process = shell("pwd")
            process.currentDirectoryURL = URL(fileURLWithPath: path)
            let reason = await Self.reason(process)
            #expect(reason?.contains(problem) == true, "\(reason ?? "none")")
        }
    }

    @Test func `a process can be started only once`() async throws {
        let process = shell("exit 0")
        #expect(try await process.output().value.isSuccess)
        #expect(await Self.reason(process)?.hasPrefix("it was started before") == true)
        let own = shell("exit 0")
        try own.run()
        #expect(await Self.reason(own)?.hasPrefix("it was started before") == true)
        own.waitUntilExit()
    }

    @Test func `of several concurrent starts one succeeds`() async throws {
        for _ in 0..<Stress.rounds(30) {
            let process = shell("echo once")
            var texts: [String] = []
            for output in (0..<8).map({ _ in process.output() }) { texts.append(await output.settled) }
            #expect(texts.count { $0 == "once\n" } == 1)
            #expect(texts.count { $0.hasPrefix("The process /bin/sh could not be started: it was started") } == 7)
        }
    }

    @Test func `a script needs only its first line`() async throws {
        let folder = try Folder()
        let program = try await folder.program("#!/bin/sh\necho \"$0 $1\"\n", name: "with space")
        let output = try await Process.output(of: program, arguments: ["x"]).validate().value
        #expect(output.text == "\(program) x\n")
    }

    @Test func `failures leave no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            let text = try await folder.program("\u{1}\u{2}\u{3}", name: "text")
            let process: @Sendable (Int) -> Process = { number in
                let process = number % 5 == 4 ? Process() : shell("exit 0")
                switch number % 5 {
                case 0: process.executableURL = folder.url
                case 1: process.executableURL = URL(fileURLWithPath: "/none")
                case 2: process.executableURL = URL(fileURLWithPath: text)
                case 3: process.currentDirectoryURL = URL(fileURLWithPath: text)
                default: break
                }
                return process
            }
            // Descriptors that Foundation opens once are open after this, or most of them.
            _ = await shell("exit 0").output().outcome
            let before = openDescriptors().count
            for number in 0..<100 {
                let outcome = await process(number).output(input: Data(count: 10)).outcome
                precondition(outcome.error is ProcessError, "\(number): \(outcome)")
            }
            await expectDescriptors(since: before, atMost: 15)
        }
    }
}

extension Future where T == ProcessOutput {
    /// The output, or the reason why there is none.
    fileprivate var settled: String {
        get async {
            switch await outcome {
            case .success(let output): output.text
            case .failure(let error): "\(error)"
            }
        }
    }
}
#endif
