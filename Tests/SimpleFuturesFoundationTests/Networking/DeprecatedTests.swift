import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The calls with names from the release candidate, behind a protocol, so that the tests use them without a warning.
private protocol OldCode {
    func begin(_ request: URLRequest, in session: URLSession, file: URL) -> [Future<Void>]
}

private struct OldNames: OldCode {
    @available(*, deprecated)
    func begin(_ request: URLRequest, in session: URLSession, file: URL) -> [Future<Void>] {
        [
            session.data(for: request).asVoid(), session.data(from: request.url!).asVoid(),
            session.upload(for: request, from: Data([1])).asVoid(),
            session.upload(for: request, fromFile: file).asVoid(), session.download(for: request).asVoid(),
            session.download(from: request.url!).asVoid(),
        ]
    }
}

@Suite("URLSession: names of the release candidate", .watchdog)
struct DeprecatedTests {
    private let old: any OldCode = OldNames()

    @Test func `they behave like today's names`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let test = TestSession()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data([1]).write(to: file)
        for future in old.begin(server.request("/", method: "POST"), in: test.session, file: file) {
            try await future.value
        }
        #expect(server.records.requests.count == 6)
    }
}
