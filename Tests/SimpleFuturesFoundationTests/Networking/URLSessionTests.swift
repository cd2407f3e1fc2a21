import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One of the ways to begin a transfer.
struct Transfer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let begin: @Sendable (URLSession, URLRequest, CancelToken) -> Future<Void>

    static let ofWholeBodies = [
        Transfer(testDescription: "data") { $0.dataFuture(for: $1, cancelToken: $2).asVoid() },
        Transfer(testDescription: "upload") { $0.uploadFuture(for: $1, from: Data([1]), cancelToken: $2).asVoid() },
        Transfer(testDescription: "download") { $0.downloadFuture(for: $1, cancelToken: $2).deleted() },
    ]
    static let all =
        ofWholeBodies + [
            Transfer(testDescription: "body") { $0.body(for: $1, capacity: 0, cancelToken: $2).asVoid() }
        ]
}

extension Future where T == (URL, URLResponse) {
    fileprivate func deleted() -> Future<Void> {
        map(context: ImmediateContext()) { try FileManager.default.removeItem(at: $0.0) }
    }
}

@Suite("URLSession", .watchdog) struct URLSessionTests {
    let test = TestSession()
    var session: URLSession { test.session }

    @Test func `dataFuture begins at once, follows redirections, and returns the body and the response`() async throws {
        let server = HTTPServer { $0.path == "/end" ? .text("the end", status: 203) : .redirect(to: "/end") }
        let loading = session.dataFuture(from: server.url("/path"))
        try await server.waitForRequest()
        let (data, response) = try await loading.value
        #expect(String(decoding: data, as: UTF8.self) == "the end")
        #expect((response as? HTTPURLResponse)?.statusCode == 203 && response.url?.path == "/end")
        #expect(server.records.requests.map(\.path) == ["/path", "/end"])
    }

    @Test func `upload sends data or a file`() async throws {
        let server = HTTPServer { .fixed(body: $0.body) }
        let body = Data(repeating: 7, count: 300_000)
        let folder = try Folder()
        let file = URL(fileURLWithPath: try folder.file(Data("content".utf8), name: "file"))
        let put = server.request(method: "PUT")
        #expect(try await session.uploadFuture(for: put, from: body, cancelToken: CancelToken()).value.0 == body)
        #expect(try await session.uploadFuture(for: put, fromFile: file).value.0 == Data("content".utf8))
        #expect(server.records.requests.map(\.method) == ["PUT", "PUT"])
    }

    @Test func `an upload of what is not a file fails with the reason`() async throws {
        let (server, folder) = (HTTPServer { _ in .text("hello") }, try Folder())
        let put = server.request(method: "PUT")
        for (place, code) in [
            (server.url(), URLError.unsupportedURL), (folder.url, .fileIsDirectory),
            (folder.url.appending(path: "none"), .fileDoesNotExist),
        ] {
            let error = await session.uploadFuture(for: put, fromFile: place).outcome.error as? URLError
            #expect(error?.code == code)
            #expect(error?.localizedDescription.contains(place.path) == true, "\(String(describing: error))")
        }
        #expect(server.records.requests.isEmpty)
    }

    // The future of a body as a stream is completed with the head.
    @Test(arguments: Transfer.all.map { ($0, false) } + Transfer.ofWholeBodies.map { ($0, true) })
    func `a canceled token stops the transfer and cancels the future`(transfer: Transfer, hasBegun: Bool) async throws {
        let server = HTTPServer { _ in hasBegun ? .written(by: BodyWriter("the beginning")) : .silence }
        let token = CancelToken()
        let future = transfer.begin(session, server.request(method: "POST"), token)
        try await server.waitUntil { hasBegun ? $0.bodyBytesSent > 0 : $0.requests.count == 1 }
        token.cancel()
        #expect(future.isCancelled)
        await #expect(throws: CancellationError.self) { try await future.value }
        try await server.waitForClientClose()
    }

    @Test(arguments: Transfer.all, [CancelToken(), .none])
    func `invalidating a session fails its transfers`(transfer: Transfer, token: CancelToken) async throws {
        let server = HTTPServer { _ in .silence }
        let future = transfer.begin(session, server.request(method: "POST"), token)
        try await server.waitForRequest()
        session.invalidateAndCancel()
        #expect((await future.outcome.error as? URLError)?.code == .cancelled)
        try await server.waitForClientClose()
    }

    @Test func `a token that was canceled before sends nothing, and after the end it has no effect`() async throws {
        let server = HTTPServer { _ in .text("hello") }
        let (before, after) = (CancelToken(), CancelToken())
        before.cancel()
        for transfer in Transfer.all {
            #expect(transfer.begin(session, server.request("/never"), before).isCancelled)
        }
        let future = session.dataFuture(from: server.url("/first"), cancelToken: after)
        _ = try await future.value
        after.cancel()
        #expect(future.result?.value?.0.count == 5)
        // The session is unchanged.
        _ = try await session.dataFuture(from: server.url("/second")).value
        #expect(server.records.requests.map(\.path) == ["/first", "/second"])
    }

    @Test func `a client that is its session's delegate is released when the session is invalidated`() async throws {
        let server = HTTPServer { _ in .text("hello") }
        weak var client: Client?
        for transfer in Transfer.all {
            do {
                let new = Client()
                client = new
                _ = try await transfer.begin(new.session, server.request(method: "POST"), CancelToken()).value
                new.session.finishTasksAndInvalidate()
            }
            await until { client == nil }
        }
    }

    @Test(arguments: [HTTPResponse.brokenOff(declaring: 100, sending: "half"), .hangUp])
    func `an interrupted response, none, or a missing server fails the future`(response: HTTPResponse) async throws {
        let server = HTTPServer { _ in response }
        let transfers = response.head == nil ? Transfer.all : Transfer.ofWholeBodies
        for transfer in transfers {
            let future = transfer.begin(session, server.request(method: "POST"), .none)
            await #expect(throws: URLError.self, "\(transfer.testDescription)") { try await future.value }
        }
        // If the server counted this one, tests that wait for a client to close its connection could not fail.
        try await server.waitUntil { $0.openConnections == 0 }
        #expect(server.records.clientCloses == 0)
        server.stop()
        await #expect(throws: URLError.self) { try await session.dataFuture(from: server.url()).value }
    }

    @Test func `a downloaded file stays where it is`() async throws {
        let server = HTTPServer { _ in .pattern(count: 1_000_000) }
        let (file, response) = try await session.downloadFuture(from: server.url()).value
        defer { try? FileManager.default.removeItem(at: file) }
        let data = try Data(contentsOf: file)
        #expect(data.count == 1_000_000 && HTTPPattern.matches(data))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `a download replaces the file at its destination`() async throws {
        let server = HTTPServer { .text($0.path) }
        let folder = try Folder()
        let target = folder.url.appendingPathComponent("file")
        for path in ["/first", "/second"] {
            #expect(try await session.downloadFuture(from: server.url(path), to: target).value.0 == target)
            #expect(try String(contentsOf: target, encoding: .utf8) == path)
        }
        #expect(folder.names == ["file"])
    }

    @Test func `a canceled download does not replace the file at its destination`() async throws {
        let server = HTTPServer { _ in .text("new") }
        let (folder, token, queue) = (try Folder(), CancelToken(), OperationQueue())
        let target = URL(fileURLWithPath: try folder.file(Data("old".utf8), name: "file"))
        let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
        // The file has arrived, but the session has not reported it.
        queue.isSuspended = true
        let download = session.downloadFuture(from: server.url(), to: target, cancelToken: token)
        await until { queue.operationCount > 0 }
        token.cancel()
        #expect(download.isCancelled)
        queue.isSuspended = false
        session.finishTasksAndInvalidate()
        await until { queue.operationCount == 0 }
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        #expect(folder.names == ["file"])
    }

    @Test(arguments: [nil, 200..<300])
    func `a temporary file is deleted if nothing waits for its download`(statusCodes: Range<Int>?) async throws {
        let text = UUID().uuidString
        let server = HTTPServer { _ in .text(text) }
        let queue = OperationQueue()
        let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
        queue.isSuspended = true
        _ = session.downloadFuture(from: server.url(), accepting: statusCodes)
        await until { queue.operationCount > 0 }
        queue.isSuspended = false
        session.finishTasksAndInvalidate()
        await until { queue.operationCount == 0 }
        #expect(try temporaryFiles(with: text).isEmpty)
    }

    @Test func `a download of what has no file fails with a URLError`() async throws {
        // Foundation on Linux calls the handler without an error.
        let future = session.downloadFuture(from: URL(string: "data:text/plain,hello")!)
        let outcome = await future.outcome
        if let (file, _) = outcome.value { try FileManager.default.removeItem(at: file) }
        #expect(outcome.error == nil || outcome.error is URLError, "\(outcome)")
    }

    @Test func `a download that cannot be moved fails with the reason, and leaves no file behind`() async throws {
        let text = UUID().uuidString
        let server = HTTPServer { _ in .text(text) }
        let folder = try Folder()
        await #expect(throws: CocoaError.self) {
            try await session.downloadFuture(from: server.url(), to: folder.url.appendingPathComponent("no/file")).value
        }
        let target = folder.url.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let error = await #expect(throws: CocoaError.self) {
            try await session.downloadFuture(from: server.url(), to: target).value
        }
        #expect(error?.code == .fileWriteFileExists && error?.filePath == target.path)
        #expect(
            error?.localizedDescription
                == "The download cannot be moved to \(target.path): it is a directory; pass the URL of a file.")
        #expect(folder.names == ["folder"])
        #expect(try temporaryFiles(with: text).isEmpty)
    }

    private func temporaryFiles(with text: String) throws -> [URL] {
        // Only the names: other tests may be deleting files of theirs.
        let place = FileManager.default.temporaryDirectory
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path).map(place.appendingPathComponent)
        // The system's empty files are not read: Foundation on Linux leaks their buffers.
        let sized = files.filter { (try? $0.resourceValues(forKeys: [.fileSizeKey]).fileSize) == text.utf8.count }
        return sized.filter { (try? String(contentsOf: $0, encoding: .utf8)) == text }
    }

    @available(*, deprecated)
    @Test func `the names of the release candidate behave like today's names`() async throws {
        let server = HTTPServer { _ in .text("hello") }
        let request = server.request(method: "POST")
        let folder = try Folder()
        let file = URL(fileURLWithPath: try folder.file(Data([1]), name: "file"))
        let futures = [
            session.data(for: request).asVoid(), session.data(from: server.url()).asVoid(),
            session.upload(for: request, from: Data([1])).asVoid(),
            session.upload(for: request, fromFile: file).asVoid(), session.download(for: request).deleted(),
            session.download(from: server.url()).deleted(),
        ]
        for future in futures { try await future.value }
        #expect(server.records.requests.count == 6)
    }
}

private final class Client: NSObject, URLSessionDelegate, @unchecked Sendable {
    // Sendable: used by one task.
    private(set) lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
}

#if canImport(FoundationNetworking)
/// On Linux canceling a task that waits for the cache ends the program.
@Suite("URLSession without its cache", .watchdog) struct CachelessTests {
    /// Returns whether a transfer has asked the session's cache.
    private func asksCache(_ load: (URLSession, URLRequest) -> Future<Void>) async throws -> Bool {
        let cache = CountingCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)
        let server = HTTPServer { _ in .text("hello") }
        let test = TestSession(cache: cache)
        try await load(test.session, server.request(method: "PUT")).value
        return cache.count > 0
    }

    @Test func `requests with a token and bodies do not use the session's cache, and do not remove it`() async throws {
        for transfer in Transfer.all {
            #expect(try await !asksCache { transfer.begin($0, $1, CancelToken()) }, "\(transfer.testDescription)")
        }
        #expect(try await !asksCache { $0.body(for: $1, capacity: 0).asVoid() })
        #expect(try await asksCache { $0.dataFuture(for: $1, cancelToken: .none).asVoid() })
        #expect(
            try await asksCache { session, request in
                session.body(for: request, capacity: 0).asVoid().flatMap(context: immediate) {
                    session.dataFuture(for: request).asVoid()
                }
            })
    }
}

/// An empty cache that counts its queries.
private final class CountingCache: URLCache, @unchecked Sendable {
    // Sendable like its superclass; its own state is under a lock.
    private let asked = Box(0)

    var count: Int { asked.value }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        asked.increment()
        return nil
    }
}
#endif
