import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

@Suite(.watchdog) struct DownloadTests {
    let test = TestSession()
    var session: URLSession { test.session }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    @Test func `a download lies where it stays`() async throws {
        let server = try HTTPServer { _ in .pattern(count: 1_000_000) }
        let (file, response) = try await session.download(from: server.url("/"), cancelToken: .none).value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(HTTPPattern.matches(try Data(contentsOf: file)))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `a download lies where it was asked for, in the place of what was there`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { .text($0.path) }
        let target = folder.appendingPathComponent("file")
        for path in ["/first", "/second"] {
            let (file, _) = try await session.download(from: server.url(path), to: target, cancelToken: .none).value
            #expect(file == target)
            #expect(try String(contentsOf: target, encoding: .utf8) == path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func `a download to where a folder is fails with the reason, and leaves nothing behind`() async throws {
        let target = folder.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { _ in .text("text") }
        await #expect(throws: POSIXError(.EISDIR)) {
            try await session.download(from: server.url("/"), to: target, cancelToken: .none).value
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["folder"])
    }

    @Test func `a download that cannot be moved fails with the reason`() async throws {
        let server = try HTTPServer { _ in .text("text") }
        let target = folder.appendingPathComponent("no folder/file")
        await #expect(throws: CocoaError.self) {
            try await session.download(from: server.url("/"), to: target, cancelToken: .none).value
        }
    }

    @Test func `a cancelled download closes the connection`() async throws {
        let writer = BodyWriter()
        writer.write("the beginning")
        let server = try HTTPServer { _ in .written(by: writer) }
        let token = CancelToken()
        let future = session.download(from: server.url("/"), cancelToken: token)
        try await server.waitUntil { $0.bodyBytesSent > 0 }
        token.cancel()
        #expect(future.isCancelled)
        try await server.nextClientClose()
    }

    @Test func `a status that is not wanted deletes the file`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { _ in .text("not here", status: 404) }
        let target = folder.appendingPathComponent("file")
        let error = await #expect(throws: HTTPStatusError.self) {
            try await session.download(from: server.url("/"), to: target, cancelToken: .none).validate().value
        }
        #expect(error?.statusCode == 404)
        #expect(error?.body == Data("not here".utf8))
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}
