#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Processes", .watchdog)
struct ProcessTests {
    @Test func `the result has both outputs and the status; a later timeout has no effect`() async throws {
        let output = try await shell("echo out; echo err >&2; exit 3").output(timeout: .seconds(1_000)).value
        #expect(output.text == "out\n" && output.errorText == "err\n")
        #expect(output.termination == .exited(3) && !output.isSuccess)
        #expect(output.termination.description == "exited with status 3")
    }

    @Test func `a program runs with arguments, environment, directory and input`() async throws {
        let folder = try Folder()
        let output = try await Process.output(
            of: "/bin/sh", arguments: ["-c", #"echo "$1|$GREETING|$HOME"; pwd -P; cat"#, "name", "a b\"'é"],
            environment: ["GREETING": "hi"], currentDirectory: folder.url, input: Data("input".utf8)
        ).validate().value
        let directory = folder.url.resolvingSymlinksInPath().path
        #expect(output.text.replacing("/private", with: "") == "a b\"'é|hi|\n\(directory)\ninput")
    }

    @Test func `validation accepts only the given statuses`() async throws {
        let output = try await shell("exit 2").output().validate(statuses: [0, 2]).value
        #expect(output.termination == .exited(2))
        await #expect(throws: ProcessError.failed(ProcessOutput(termination: .exited(2)))) {
            try await shell("exit 2").output().validate().value
        }
        let killed = ProcessOutput(termination: .signalled(9), standardError: Data("why\n".utf8))
        let error = await #expect(throws: ProcessError.self) {
            try await shell("echo why >&2; kill -9 $$").output().validate(statuses: [0, 9]).value
        }
        #expect(error == .failed(killed))
        #expect(error?.description == "The process was ended by signal 9: why")
        #expect(error?.localizedDescription == error?.description)
    }

    @Test(arguments: ["\n", "\r\n"]) func `the error of a failed process describes the end of its standard error`(
        newline: String
    ) {
        let lines = (1...1_000).map { "line \($0)\(newline)" }.joined()
        let output = ProcessOutput(termination: .exited(3), standardError: Data(lines.utf8))
        let end = (996...1_000).map { "line \($0)" }.joined(separator: "\n")
        #expect(ProcessError.failed(output).description == "The process exited with status 3: \(end)")
        let long = ProcessOutput(termination: .exited(3), standardError: Data(count: 1_000_000) + Data("end".utf8))
        let description = ProcessError.failed(long).description
        #expect(description.utf8.count < 10_000 && description.hasSuffix("end"))
    }

    @Test func `a child can write much to both outputs`() async throws {
        let script = "head -c 50000000 /dev/zero & head -c 50000000 /dev/zero >&2; wait"
        let output = try await shell(script).output().validate().value
        #expect(output.standardOutput.count == 50_000_000)
        #expect(output.standardError.count == 50_000_000)
    }

    @Test func `a child can close outputs and input early and go on; the rest of the input is dropped`() async throws {
        let folder = try Folder()
        let fifo = folder.fifo("go")
        let future = shell("echo done; exec <&- >&- 2>&-; read line < \(fifo); exit 5").output(
            input: Data(count: 1_000_000))
        await open(fifo: fifo)
        #expect(try await future.value == ProcessOutput(termination: .exited(5), standardOutput: Data("done\n".utf8)))
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 10_000_000])
    func `the child reads the whole input, and its whole output is returned`(size: Int) async throws {
        // A slice, whose indices do not begin at 0.
        let input = pattern(size + 10)[10...]
        let output = try await Process.output(of: "/bin/cat", input: input).validate().value
        #expect(output.standardOutput == Data(input))
    }

    @Test func `an output that the user has set is kept`() async throws {
        let (pipe, process) = (Pipe(), shell("echo out; echo err >&2"))
        process.standardOutput = pipe
        let future = process.output()
        let lines = try await pipe.asyncLines().reduce(into: []) { $0.append($1) }
        let output = try await future.value
        #expect(lines == ["out"] && output.standardOutput.isEmpty && output.errorText == "err\n")
    }

    @Test(arguments: [true, false])
    func `a program that ignores SIGCHLD or collects no children gets an error with that reason`(ignores: Bool) async {
        await #expect(processExitsWith: .success) { [ignores] in
            var action = sigaction()
            sigaction(SIGCHLD, nil, &action)
            action.sa_flags |= SA_NOCLDWAIT
            if ignores { signal(SIGCHLD, SIG_IGN) } else { sigaction(SIGCHLD, &action, nil) }
            let error = await shell("exit 1").output().outcome.error
            precondition("\(error!)".contains("ignores SIGCHLD, or handles it with SA_NOCLDWAIT"), "\(error!)")
            signal(SIGCHLD, SIG_DFL)
            let status = try await shell("exit 1").output().value.termination
            precondition(status == .exited(1))
        }
    }

    @Test func `the handler that the user has set still runs`() async throws {
        let heard = Promise<Int32>()
        let process = shell("exit 4")
        process.terminationHandler = { heard.success($0.terminationStatus) }
        #expect(try await process.output().value.termination == .exited(4))
        #expect(try await heard.future.value == 4)
        #expect(!process.isRunning && process.terminationStatus == 4)
    }

    @Test func `many children run one after the other and at a time, each with its own output`() async throws {
        let numbers = Array(0..<200)
        let outputs = try await numbers.traverse(maxConcurrent: 8) { number in
            Process.output(of: "/bin/echo", arguments: ["\(number)"]).validate()
        }.value
        #expect(outputs.map { $0.text } == numbers.map { "\($0)\n" })
    }

    @Test func `the output ends with the child, even if its own child keeps the pipe open`() async throws {
        let folder = try Folder()
        let fifo = folder.fifo("go")
        let script = "(read line < \(fifo)) & head -c 60000 /dev/zero; echo end; exit 0"
        let output = try await shell(script).output().value
        #expect(output.standardOutput == Data(count: 60_000) + Data("end\n".utf8))
        await open(fifo: fifo)
    }

    @Test func `the output ends with the child, even if its own child continues to write`() async throws {
        let output = try await shell("yes & echo mine; exit 0").output().value
        #expect(output.isSuccess && output.text.contains("mine\n"))
        #expect(output.standardOutput.count < 100_000_000)
    }

    #if os(Linux)
    // In a process of its own: a child may inherit what another test opens just before it starts.
    @Test func `a child starts with no signal blocked, and with three descriptors of ours`() async {
        await #expect(processExitsWith: .success) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let status = try await Process.output(of: "/bin/cat", arguments: ["/proc/self/status"]).value
                        #expect(status.text.contains("SigBlk:\t0000000000000000\n"))
                    }
                    group.addTask {
                        let list = try await Process.output(
                            of: "/bin/ls", arguments: ["-l", "/proc/self/fd"], input: Data()
                        ).value.text
                        let files = list.split(separator: "\n")
                            .compactMap { $0.components(separatedBy: " -> ").dropFirst().last }
                        // Not ours: the directory, and the sockets by which Foundation detects the end of each child.
                        let ours = files.filter { !$0.hasPrefix("/proc/") && !$0.hasPrefix("socket:") }
                        #expect(ours.count == 3 && ours.allSatisfy { $0.hasPrefix("pipe:") }, "\(list)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
    #endif
}
#endif
