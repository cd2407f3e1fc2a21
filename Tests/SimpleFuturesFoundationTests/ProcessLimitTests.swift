#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Processes without descriptors", .watchdog)
struct ProcessLimitTests {
    @Test func `without descriptors a start fails with a reason, and succeeds when there are some again`() async {
        await #expect(processExitsWith: .success) {
            _ = await shell("exit 0").output().outcome
            let before = openDescriptors().count
            for free in 0...12 {
                // Whatever is free below the highest one is taken.
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
            let isFlat = await eventually { openDescriptors().count < before + 16 }
            precondition(isFlat, "\(openDescriptors().count) are open, \(before) before")
        }
    }
}

#if os(Linux)
private let openFilesLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let openFilesLimit = RLIMIT_NOFILE
#endif
#endif
