#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// Each test runs in a separate process, because it counts the resources of the process.
@Suite("Processes leave nothing behind", .watchdog)
struct ProcessCleanupTests {
    @Test func `without free descriptors a start fails with a reason, and succeeds when some are free again`() async {
        await #expect(processExitsWith: .success) {
            _ = await shell("exit 0").output().outcome
            let before = openDescriptors().count
            for free in 0...12 {
                // All free numbers below the highest one are taken.
                var taken: [Int32] = []
                var limit = rlimit()
                getrlimit(openFilesLimit, &limit)
                let old = limit.rlim_cur
                limit.rlim_cur = rlim_t(Int(openDescriptors().max()!) + 1 + free)
                setrlimit(openFilesLimit, &limit)
                while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
                for descriptor in taken.suffix(free) { close(descriptor) }
                let outcome = await Process.output(of: "/bin/cat", input: Data("x".utf8)).outcome
                for descriptor in taken.dropLast(free) { close(descriptor) }
                limit.rlim_cur = old
                setrlimit(openFilesLimit, &limit)
                switch outcome {
                case .success(let output): precondition(output.text == "x", "\(free): \(output)")
                case .failure(ProcessError.notStarted(_, let reason)):
                    precondition(reason == String(cString: strerror(EMFILE)), "\(free): \(reason)")
                case .failure(let error): preconditionFailure("\(free): \(error)")
                }
                let again = await Process.output(of: "/bin/cat", input: Data("x".utf8)).outcome
                precondition(again.value?.text == "x")
            }
            await expectDescriptors(since: before, atMost: 15)
        }
    }

    @Test func `failures leave no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            let text = try await folder.program("\u{1}\u{2}\u{3}", name: "text")
            let empty = try await folder.program("", name: "empty")
            let makers: [() -> Process] = [
                { Process() },
                { process(at: "/none") },
                { process(at: folder.url.path) },
                { process(at: text) },
                { process(at: empty) },
                {
                    let process = shell("exit 0")
                    process.currentDirectoryURL = URL(fileURLWithPath: text)
                    return process
                },
            ]
            // Descriptors that Foundation opens once are open after this, or most of them.
            _ = await shell("exit 0").output().outcome
            let before = openDescriptors().count
            for number in 0..<100 {
                let outcome = await makers[number % makers.count]().output(input: Data(count: 10)).outcome
                precondition(outcome.error is ProcessError, "\(number): \(outcome)")
            }
            await expectDescriptors(since: before, atMost: 15)
        }
    }

    @Test func `input that is not read does not end the process, although SIGPIPE would`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let scripts = ["exit 7", "exec <&-; exit 7", "head -c 10 | wc -c; exec <&-; exit 7"]
            let outputs = try await (0..<Stress.rounds(30)).map { scripts[$0 % 3] }.traverse(maxConcurrent: 8) {
                shell($0).output(input: Data(count: 1_000_000))
            }.value
            precondition(outputs.allSatisfy { $0.termination == .exited(7) }, "\(outputs.map { $0.termination })")
        }
    }

    #if os(Linux)
    @Test func `two hundred processes leave no descriptor, no zombie and no thread`() async {
        await #expect(processExitsWith: .success) {
            let run: @Sendable (Int) async -> Void = { count in
                _ = await (0..<count).map { $0 }.traverse(maxConcurrent: 8) { number in
                    let token = CancelToken()
                    let future = Process.output(
                        of: "/bin/sh", arguments: ["-c", "cat; exit \(number % 2)"], input: Data(count: 100_000),
                        cancelToken: token, onCancel: .wait)
                    if number % 5 == 0 { token.cancel() }
                    return future.materialize()
                }.outcome
            }
            await run(16)
            _ = await eventually { children().isEmpty }
            let before = openDescriptors().count
            await run(200)
            let hasNoChild = await eventually { children().isEmpty }
            precondition(hasNoChild, "\(children())")
            await expectDescriptors(since: before, atMost: 15)
            // Threads that Dispatch and the runtime keep for a while, and a few of Foundation's.
            let hasFewThreads = await eventually { threadCount() < 30 }
            precondition(hasFewThreads, "\(threadCount())")
        }
    }

    @Test func `an abandoned child leaves nothing behind either`() async {
        await #expect(processExitsWith: .success) {
            _ = await shell("exit 0").output().outcome
            let before = openDescriptors().count
            for _ in 0..<Stress.rounds(30) {
                let token = CancelToken()
                let process = shell("exec tail -f /dev/null")
                let future = process.output(input: Data(count: 1_000_000), cancelToken: token)
                await eventually { process.processIdentifier != 0 }
                token.cancel()
                precondition(future.isCancelled)
            }
            let isClean = await eventually { children().isEmpty && openDescriptors().count < before + 16 }
            precondition(isClean, "\(children()) \(openDescriptors().count) \(before)")
        }
    }

    // A process that ends, one whose own child keeps the input open, and one that the system does not start.
    @Test(arguments: [("exit 0", 0), ("exec 3<&0; sleep 1000 <&3 & echo $!", 0), ("exit 0 #", 200_000)])
    func `the input is released when the process has ended or was not started, long before the timeout`(
        script: String, padding: Int
    ) async throws {
        let isReleased = Box(false)
        var text = ""
        do {
            // More than fits into a pipe.
            let size = 1_000_000
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
            bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            let input = Data(
                bytesNoCopy: bytes, count: size,
                deallocator: .custom { bytes, _ in
                    bytes.deallocate()
                    isReleased.value = true
                })
            let process = shell(script + String(repeating: "x", count: padding))
            let outcome = await process.output(input: input, timeout: .seconds(1_000)).outcome
            #expect((outcome.value == nil) == (padding > 0))
            text = outcome.value?.text ?? ""
        }
        #expect(await eventually { isReleased.value })
        if let child = Int32(text.dropLast()) { kill(child, SIGKILL) }
    }

    @Test func `a process releases its closures when it has ended`() async throws {
        // Not the process itself: on Linux Foundation keeps processes that have run.
        weak var folder: Folder?
        do {
            let own = try Folder()
            let process = shell("exit 0")
            process.terminationHandler = { _ in withExtendedLifetime(own) {} }
            folder = own
            _ = try await process.output(input: Data(count: 10), timeout: .seconds(1_000)).value
        }
        #expect(await eventually { folder == nil })
    }

    @Test func `no signal is left pending on any thread`() async throws {
        // The launch thread's signal mask must be unchanged.
        let masks = Lock<Set<String>>([])
        for _ in 0..<10 {
            _ = try await shell("exit 0").output().value
            for id in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
                let status = (try? String(contentsOfFile: "/proc/self/task/\(id)/status", encoding: .utf8)) ?? ""
                for line in status.split(separator: "\n") where line.hasPrefix("SigPnd:") {
                    masks.withLock { _ = $0.insert(String(line)) }
                }
            }
        }
        #expect(masks.withLock { $0 } == ["SigPnd:\t0000000000000000"])
    }
    #endif
}

#if os(Linux)
private let openFilesLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let openFilesLimit = RLIMIT_NOFILE
#endif
#endif
