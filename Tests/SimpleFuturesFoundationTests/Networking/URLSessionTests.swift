import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

/// One of the ways to begin a transfer.
struct Transfer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let begin: @Sendable (URLSession, URLRequest, CancelToken) -> Future<Void>

    static let ofWholeBodies = [
        Transfer(testDescription: "data") { $0.dataFuture(for: $1, cancelToken: $2).asVoid() },
        Transfer(testDescription: "upload") { $0.uploadFuture(for: $1, from: Data([1]), cancelToken: $2).asVoid() },
        Transfer(testDescription: "download") { $0.downloadFuture(for: $1, cancelToken: $2).asVoid() },
    ]
    static let all =
        ofWholeBodies + [
            Transfer(testDescription: "body") { $0.body(for: $1, capacity: 0, cancelToken: $2).asVoid() }
        ]
}

@Suite("URLSession", .watchdog) struct URLSessionTests {
    let test = TestSession()
    var session: URLSession { test.session }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    // MARK: Data

    @Test func `dataFuture returns the body and the response`() async throws {
        let server = try HTTPServer { _ in .text("hello", status: 203) }
        let (data, response) = try await session.dataFuture(for: server.request("/"), cancelToken: .none).value
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 203)
    }

    @Test func `an asynchronous function can call dataFuture too`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let loading = session.dataFuture(from: server.url("/"))
        #expect(try await loading.value.0.count == 5)
    }

    @Test func `the transfer begins at once, without an await`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        _ = session.dataFuture(from: server.url("/path"), cancelToken: .none)
        #expect(try await server.nextRequest().path == "/path")
    }

    @Test(arguments: Transfer.ofWholeBodies, [false, true])
    func `a canceled token stops the transfer and cancels the future`(transfer: Transfer, hasBegun: Bool) async throws {
        let server = try HTTPServer { _ in hasBegun ? .written(by: BodyWriter("the beginning")) : .silence }
        let token = CancelToken()
        let future = transfer.begin(session, server.request("/", method: "POST"), token)
        try await server.waitUntil { hasBegun ? $0.bodyBytesSent > 0 : $0.requests.count == 1 }
        token.cancel()
        #expect(future.isCancelled)
        await #expect(throws: CancellationError.self) { try await future.value }
        #expect(try await server.nextClientClose().wasWaiting)
    }

    @Test(arguments: Transfer.all, [CancelToken(), .none])
    func `invalidating a session fails its transfers`(transfer: Transfer, token: CancelToken) async throws {
        let server = try HTTPServer { _ in .silence }
        let test = TestSession()
        let future = transfer.begin(test.session, server.request("/", method: "POST"), token)
        _ = try await server.nextRequest()
        test.session.invalidateAndCancel()
        #expect((await future.outcome.error as? URLError)?.code == .cancelled)
        #expect(try await server.nextClientClose().wasWaiting)
    }

    @Test func `a client that is its session's delegate is released when the session is invalidated`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        weak var client: Client?
        for transfer in Transfer.all {
            do {
                let new = Client()
                client = new
                _ = try await transfer.begin(new.session, server.request("/", method: "POST"), CancelToken()).value
                new.session.finishTasksAndInvalidate()
            }
            await until { client == nil }
        }
    }

    @Test func `a canceled task stops the transfer`() async throws {
        let server = try HTTPServer { _ in .silence }
        let task = Task {
            try await withCancelToken { token in
                try await session.dataFuture(from: server.url("/"), cancelToken: token).value(cancelling: token)
            }
        }
        _ = try await server.nextRequest()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await server.nextClientClose().wasWaiting)
    }

    @Test func `with a canceled token nothing is sent`() async throws {
        let server = try HTTPServer { _ in .text("no") }
        let token = CancelToken()
        token.cancel()
        for transfer in Transfer.all {
            #expect(transfer.begin(session, server.request("/first"), token).isCancelled)
        }
        _ = try await session.dataFuture(from: server.url("/second"), cancelToken: .none).value
        #expect(server.records.requests.map(\.path) == ["/second"])
    }

    @Test func `canceling a token after the end has no effect`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let token = CancelToken()
        let future = session.dataFuture(from: server.url("/"), cancelToken: token)
        _ = try await future.value
        token.cancel()
        #expect(future.result?.value?.0.count == 5)
        // The session is unchanged.
        _ = try await session.dataFuture(from: server.url("/"), cancelToken: .none).value
        #expect(server.records.requests.count == 2)
    }

    @Test func `the session's timeout fails the future and closes the connection`() async throws {
        let server = try HTTPServer { _ in .silence }
        let test = TestSession(timeout: 0.5)
        let outcome = await test.session.dataFuture(from: server.url("/"), cancelToken: .none).outcome
        #expect((outcome.error as? URLError)?.code == .timedOut)
        try await server.nextClientClose()
    }

    @Test(arguments: ["/half", "/loop", "/nothing"])
    func `an interrupted response or an endless redirection fails the future`(path: String) async throws {
        let server = try HTTPServer { _ in .hangUp }
        server.on("/half") { _ in .brokenOff(declaring: 100, sending: "half") }
        server.on("/loop") { _ in .redirect(to: "/loop") }
        await #expect(throws: URLError.self) {
            try await session.dataFuture(from: server.url(path), cancelToken: .none).value
        }
    }

    @Test func `a missing server fails the future`() async throws {
        let server = try HTTPServer()
        server.stop()
        await #expect(throws: URLError.self) {
            try await session.dataFuture(from: server.url("/"), cancelToken: .none).value
        }
    }

    @Test func `a redirection is followed`() async throws {
        let server = try HTTPServer { _ in .redirect(to: "/end") }
        server.on("/end") { _ in .text("the end") }
        let (data, response) = try await session.dataFuture(from: server.url("/"), cancelToken: .none).value
        #expect(data.count == 7 && response.url?.path == "/end")
    }

    // MARK: Upload

    @Test func `upload sends data`() async throws {
        let server = try HTTPServer { .fixed(body: $0.body) }
        let body = Data(repeating: 7, count: 300_000)
        let (answer, _) = try await session.uploadFuture(
            for: server.request("/", method: "PUT"), from: body, cancelToken: CancelToken()
        ).value
        #expect(answer == body)
        #expect(server.records.requests.first?.method == "PUT")
    }

    @Test func `upload sends a file`() async throws {
        let server = try HTTPServer { .fixed(body: $0.body) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (answer, _) = try await session.uploadFuture(
            for: server.request("/", method: "POST"), fromFile: file, cancelToken: .none
        ).value
        #expect(answer == Data("content".utf8))
    }

    // MARK: Download

    @Test func `a downloaded file stays where it is`() async throws {
        let server = try HTTPServer { _ in .pattern(count: 1_000_000) }
        let (file, response) = try await session.downloadFuture(from: server.url("/"), cancelToken: .none).value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(HTTPPattern.matches(try Data(contentsOf: file)))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `a download replaces the file at its destination`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { .text($0.path) }
        let target = folder.appendingPathComponent("file")
        for path in ["/first", "/second"] {
            let (file, _) = try await session.downloadFuture(from: server.url(path), to: target, cancelToken: .none)
                .value
            #expect(file == target)
            #expect(try String(contentsOf: target, encoding: .utf8) == path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func `a download to an existing folder fails with the reason, and leaves no file behind`() async throws {
        let target = folder.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { _ in .text("text") }
        await #expect(throws: POSIXError(.EISDIR)) {
            try await session.downloadFuture(from: server.url("/"), to: target, cancelToken: .none).value
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["folder"])
    }

    @Test func `a download that cannot be moved fails with the reason`() async throws {
        let server = try HTTPServer { _ in .text("text") }
        let target = folder.appendingPathComponent("no folder/file")
        await #expect(throws: CocoaError.self) {
            try await session.downloadFuture(from: server.url("/"), to: target, cancelToken: .none).value
        }
    }

    @Test func `a status that is not accepted deletes the file`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { _ in .text("not here", status: 404) }
        let target = folder.appendingPathComponent("file")
        let error = await #expect(throws: HTTPStatusError.self) {
            try await session.downloadFuture(from: server.url("/"), to: target, cancelToken: .none).validate().value
        }
        #expect(error?.statusCode == 404)
        #expect(error?.body == Data("not here".utf8))
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}

private final class Client: NSObject, URLSessionDelegate, Sendable {
    private let own = Lock<URLSession?>(nil)

    var session: URLSession {
        if let session = own.withLock({ $0 }) { return session }
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        own.exchange(session)
        return session
    }
}

#if canImport(FoundationNetworking)
/// On Linux canceling a task that waits for the cache ends the program.
@Suite("URLSession without its cache", .watchdog) struct CachelessTests {
    private let cache = CountingCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)

    private func load(_ load: (URLSession, URLRequest) -> Future<Void>) async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let test = TestSession(cache: cache)
        try await load(test.session, server.request("/", method: "PUT")).value
    }

    @Test func `requests without a token use the cache`() async throws {
        try await load { $0.dataFuture(for: $1, cancelToken: .none).asVoid() }
        #expect(cache.count > 0)
    }

    @Test func `requests with a token do not use the cache`() async throws {
        for transfer in Transfer.all { try await load { transfer.begin($0, $1, CancelToken()) } }
        try await load { $0.body(for: $1, capacity: 0).asVoid() }
        #expect(cache.count == 0)
    }

    @Test func `a body does not remove the session's cache`() async throws {
        try await load { session, request in
            session.body(for: request, capacity: 0).asVoid().flatMap(context: ImmediateContext()) {
                session.dataFuture(for: request).asVoid()
            }
        }
        #expect(cache.count > 0)
    }
}

/// An empty cache that counts its queries.
private final class CountingCache: URLCache, @unchecked Sendable {
    // Sendable like its superclass; its own state is under a lock.
    private let asked = Lock(0)

    var count: Int { asked.withLock { $0 } }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        asked.withLock { $0 += 1 }
        return nil
    }
}
#endif
