#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Processes that cannot be started", .watchdog)
struct ProcessStartTests {
    @Test func `the reason names what is wrong with the program`() async throws {
        let folder = try Folder()
        let text = try folder.file(Data("echo hello\n".utf8), name: "text")
        #expect(await Process().reason == "it has no `executableURL`; set it to the path of a program")
        #expect(await process(at: folder.url.path).reason?.lowercased() == "is a directory")
        #expect(await process(at: folder.path("none")).reason == "No such file or directory")
        #expect(await process(at: text + "/below").reason == "Not a directory")
        #expect(await process(at: text).reason == "Permission denied")
        #expect(await process(at: "").reason != nil)
        let bare = await process(at: "none of this name").reason
        #expect(bare == "No such file or directory; PATH is not searched, so pass the full path")
        #expect(await process(at: try folder.program("\u{1}\u{2}\u{3}", name: "no program")).reason != nil)
        #expect(await process(at: try folder.program("#!/none/sh\n", name: "orphan")).reason != nil)
    }

    @Test func `the future of a path fails with the reason, validated or not`() async {
        let error = ProcessError.notStarted(executable: "/none", reason: "No such file or directory")
        #expect(error.description == "The process /none could not be started: No such file or directory.")
        await #expect(throws: error) { try await Process.output(of: "/none").value }
        await #expect(throws: error) { try await Process.output(of: "/none").validate().value }
        await #expect(throws: ProcessError.notStarted(executable: "", reason: "its path is empty")) {
            try await Process.output(of: "").value
        }
        let reason = "its current directory https://example.org/ is not a file URL"
        await #expect(throws: ProcessError.notStarted(executable: "/bin/ls", reason: reason)) {
            try await Process.output(of: "/bin/ls", currentDirectory: URL(string: "https://example.org/")).value
        }
    }

    @Test func `the reason names the current directory`() async throws {
        let folder = try Folder()
        let program = try await folder.program("#!/bin/sh\n", name: "program")
        for (path, problem) in [(folder.path("none"), "No such file or directory"), (program, "Not a directory")] {
            let process = shell("pwd")
            process.currentDirectoryURL = URL(fileURLWithPath: path)
            let reason = await process.reason
            #expect(reason?.contains(problem) == true, "\(reason ?? "none")")
        }
    }

    @Test func `the reason of another error is its own description`() {
        struct Refused: LocalizedError {
            var errorDescription: String? { "It would rather not." }
        }
        #expect(Refused().reason == "It would rather not")
        #expect(POSIXError(.ENOENT).reason == "No such file or directory")
    }

    @Test func `a process can be started only once`() async throws {
        let process = shell("exit 0")
        #expect(try await process.output().value.isSuccess)
        #expect(await process.reason?.hasPrefix("it was started before") == true)
        let own = shell("exit 0")
        try own.run()
        #expect(await own.reason?.hasPrefix("it was started before") == true)
        own.waitUntilExit()
    }

    @Test func `of several concurrent starts one succeeds`() async throws {
        for _ in 0..<Stress.rounds(30) {
            let process = shell("echo once")
            var texts: [String] = []
            for future in (0..<8).map({ _ in process.output() }) {
                let outcome = await future.outcome
                texts.append(outcome.value?.text ?? "\(outcome.error!)")
            }
            #expect(texts.count { $0 == "once\n" } == 1)
            #expect(texts.count { $0.hasPrefix("The process /bin/sh could not be started: it was started") } == 7)
        }
    }

    @Test func `a process that could not start keeps its outputs and its input, and can start later`() async throws {
        let process = process(at: "/bin/cat")
        var handles: [AnyObject?] {
            [process.standardOutput, process.standardError, process.standardInput].map { $0 as AnyObject? }
        }
        let before = handles
        process.arguments = [String(repeating: "a", count: 3_000_000)]
        let error = await process.output(input: Data([1])).outcome.error
        #expect("\(try #require(error))".lowercased().contains("argument list too long"))
        #expect(zip(before, handles).allSatisfy { $0 === $1 })
        process.arguments = []
        #expect(try await process.output(input: Data("hello".utf8)).value.text == "hello")
    }

    @Test func `a callback of a process that was not started may block, and others start`() async throws {
        let (start, end, token) = (Gate(), Gate(), CancelToken())
        LaunchThread.shared.run { start.pass() }
        process(at: "/none").output().onFailure(context: immediate) { _ in end.pass() }
        shell("exit 0").output(cancelToken: token, onCancel: .wait).onFailure(context: immediate) { _ in end.pass() }
        token.cancel()
        let other = shell("exit 0").output()
        start.open()
        #expect(try await other.value.isSuccess)
        end.open()
    }

    enum Obstacle: CaseIterable { case noProgram, cancellation, earlierCancellation }

    @Test(arguments: Obstacle.allCases)
    func `a pipe set as an output ends if the process is not started`(obstacle: Obstacle) async throws {
        let (start, token, pipe) = (Gate(), CancelToken(), Pipe())
        let process = obstacle == .noProgram ? process(at: "/none") : shell("exit 0")
        process.standardOutput = pipe
        process.standardError = pipe
        if obstacle == .earlierCancellation { token.cancel() }
        LaunchThread.shared.run { start.pass() }
        let future = process.output(cancelToken: token)
        if obstacle == .cancellation { token.cancel() }
        start.open()
        #expect(try await everything(in: pipe.asyncChunks()).isEmpty)
        #expect(await future.outcome.error != nil && !process.isRunning)
    }

    @Test func `a script needs only its first line`() async throws {
        let folder = try Folder()
        let program = try await folder.program("#!/bin/sh\necho \"$0 $1\"\n", name: "with space")
        let output = try await Process.output(of: program, arguments: ["x"]).validate().value
        #expect(output.text == "\(program) x\n")
    }

    @Test func `a relative interpreter of a script is found in the current directory of the child`() async throws {
        let folder = try Folder()
        try FileManager.default.createSymbolicLink(atPath: folder.path("interpreter"), withDestinationPath: "/bin/sh")
        let program = try await folder.program("#!./interpreter\necho hello\n", name: "program")
        let output = Process.output(of: program, currentDirectory: folder.url)
        #expect(try await output.validate().value.text == "hello\n")
        let elsewhere = process(at: program)
        elsewhere.currentDirectoryURL = URL(fileURLWithPath: "/")
        #expect(await elsewhere.reason != nil)
    }
}

extension Process {
    /// Why the process was not started; nil if it was started, or failed in another way.
    fileprivate var reason: String? {
        get async {
            guard case .notStarted(_, let reason)? = await output().outcome.error as? ProcessError else { return nil }
            return reason
        }
    }
}
#endif
