#if DEBUG
import Foundation
import Testing

@testable import SimpleFutures
@testable import TestSupport

/// Each test runs in a separate process, whose standard error is checked.
@Suite("Reports without a handler", .watchdog)
struct DefaultReportsTests {
    private static let line = """
        SimpleFutures: A future created at App/Profile.swift:3 was completed again; its first result stays. Use \
        `tryComplete`, `trySuccess` or `tryFailure` where this is expected.

        """

    @Test func `each place is printed once, and counted at 10 and 100`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for line: UInt in [3, 3, 4] {
                let promise = Promise<Int>(fileID: "App/Profile.swift", line: line)
                promise.success(1)
                promise.success(2)
            }
            let promise = Promise<Int>(fileID: "App/List.swift", line: 1)
            for _ in 0...1_000 { promise.success(1) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(text.hasPrefix(Self.line))
        #expect(lines.count == 6)
        #expect(lines.filter { $0.contains("App/Profile.swift:3 ") }.count == 1)
        #expect(lines.filter { $0.contains("App/Profile.swift:4 ") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("SimpleFutures: A future created at App/List.swift:1 ") }.count == 1)
        for count in [10, 100, 1_000] {
            #expect(lines.contains { $0.hasPrefix("SimpleFutures: \(count) times: A future created at App/List") })
        }
    }

    @Test func `another kind at the same place is printed too`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var promise: Promise<Int>? = Promise<Int>(fileID: "App/Profile.swift", line: 3)
            promise = nil
            promise = Promise<Int>(fileID: "App/Profile.swift", line: 3)
            promise?.success(1)
            promise?.success(2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.split(separator: "\n").count == 2)
    }

    @Test func `a handler replaces printing, even if it does nothing`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            FuturesDiagnostics.handler = { _ in }
            misuse()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.isEmpty)
    }

    @Test func `the environment silences them`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("SIMPLEFUTURES_DIAGNOSTICS", "0", 1)
            misuse()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.isEmpty)
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
            close(2)
            let promise = Promise<Int>()
            promise.success(1)
            errno = EDOM
            promise.success(2)
            precondition(errno == EDOM)
        }
    }
}

private func misuse(_ line: UInt = 3) {
    let promise = Promise<Int>(fileID: "App/Profile.swift", line: line)
    promise.success(1)
    promise.success(2)
}
#endif
