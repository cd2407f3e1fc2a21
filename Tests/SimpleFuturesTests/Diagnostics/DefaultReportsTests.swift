import Foundation
import Testing

@testable import SimpleFutures
@testable import TestSupport

#if DEBUG
/// Each test runs in a separate process, whose standard error is checked.
@Suite("Reports without a handler", .watchdog)
struct DefaultReportsTests {
    @Test func `each place is printed once, and counted at 10 and 100`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for line: UInt in [3, 3, 4] { misuse(line) }
            let promise = Promise<Int>(fileID: "App/List.swift", line: 1)
            for _ in 0...1_000 { promise.success(1) }
            _ = Promise<Int>(fileID: "App/Profile.swift", line: 4)
        }
        let (text, lines) = (printed(result), printed(result).split(separator: "\n"))
        #expect(text.hasPrefix(oneReport))
        #expect(lines.count == 7)
        #expect(lines.filter { $0.contains("App/Profile.swift:3 ") }.count == 1)
        // Another kind of report at the same place is printed too.
        #expect(lines.filter { $0.contains("App/Profile.swift:4 ") }.count == 2)
        #expect(lines.filter { $0.hasPrefix("SimpleFutures: A future created at App/List.swift:1 ") }.count == 1)
        for count in [10, 100, 1_000] {
            #expect(lines.contains { $0.hasPrefix("SimpleFutures: \(count) times: A future created at App/List") })
        }
    }

    @Test func `a handler replaces printing, even if it does nothing, and the environment silences it`() async {
        let handled = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            FuturesDiagnostics.handler = { _ in }
            misuse()
        }
        #expect(printed(handled).isEmpty)
        let silenced = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("SIMPLEFUTURES_DIAGNOSTICS", "0", 1)
            misuse()
        }
        #expect(printed(silenced).isEmpty)
    }

    @Test func `a long report is written as a whole`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            StandardError.write(String(repeating: "x", count: 2_000))
        }
        #expect(result?.standardErrorContent.count == 2_001)
    }

    @Test func `a full standard error does not delay the program`() async {
        await #expect(processExitsWith: .success) {
            let (pipe, former) = (Pipe(), dup(2))
            dup2(pipe.fileHandleForWriting.fileDescriptor, 2)
            for line in 0..<2_000 as Range<UInt> { misuse(line) }
            dup2(former, 2)
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func `a closed standard error, or one without a reader, does not end the program`() async {
        await #expect(processExitsWith: .success) {
            let pipe = Pipe()
            dup2(pipe.fileHandleForWriting.fileDescriptor, 2)
            try? pipe.fileHandleForReading.close()
            misuse(1)
            close(2)
            misuse(2)
        }
    }

    @Test func `errno is unchanged`() async {
        await #expect(processExitsWith: .success) {
            // Writing fails, and changes it.
            dup2(open("/dev/null", O_RDONLY), 2)
            let promise = Promise<Int>()
            promise.success(1)
            errno = EDOM
            promise.success(2)
            precondition(errno == EDOM)
        }
    }
}
#endif

@Suite("Ready handlers of reports", .watchdog)
struct HandlerTests {
    @Test func `a report goes to standard error, in one line`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            FuturesDiagnostics.handler = FuturesDiagnostics.printToStandardError
            misuse()
        }
        #expect(printed(result) == oneReport)
    }
}

private let oneReport = """
    SimpleFutures: A future created at App/Profile.swift:3 was completed again; its first result stays. Use \
    `tryComplete`, `trySuccess` or `tryFailure` where this is expected.

    """

private func misuse(_ line: UInt = 3) {
    let promise = Promise<Int>(fileID: "App/Profile.swift", line: line)
    promise.success(1)
    promise.success(2)
}

private func printed(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
