#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Children of processes", .watchdog)
struct GrandchildTests {
    @Test func `what its own children do with the pipe later is not waited for, what it wrote is there`() async throws {
        let folder = try Folder()
        let fifo = folder.fifo("go")
        let script = "(read line < \(fifo)) & head -c 60000 /dev/zero; echo end; exit 0"
        let output = try await shell(script).output().value
        #expect(output.standardOutput == Data(count: 60_000) + Data("end\n".utf8))
        await open(fifo: fifo)
    }

    @Test func `a grandchild that floods the pipe holds nobody up`() async throws {
        let output = try await shell("yes & echo mine; exit 0").output().value
        #expect(output.status == 0)
        #expect(output.text.contains("mine\n"))
        #expect(output.standardOutput.count < 100_000_000)
    }
}
#endif
