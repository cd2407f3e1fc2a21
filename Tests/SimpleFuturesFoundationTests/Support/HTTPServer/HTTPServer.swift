import Foundation
import SimpleFutures
@testable import TestSupport

/// An HTTP/1.1 server on the loopback, for tests of clients.
///
/// It does what a test says, however odd, and tells what the client has done; nothing in it takes time that the test
/// does not give:
///
///     let server = try HTTPServer()
///     let writer = BodyWriter()
///     server.on("/slow") { _ in .written(by: writer) }
///     let task = session.dataTask(with: server.url("/slow")) { … }
///     task.resume()
///     writer.write("one")
///     try await server.waitUntil { $0.bodyBytesSent == 3 }
///     task.cancel()
///     let connection = try await server.nextClientClose()
///     #expect(connection.closing?.phase == .response)
///
/// It stops when it is released.
final class HTTPServer: Sendable {
    private let core: HTTPServerCore

    /// - Parameter handler: Answers what no route is for; without one that is 404.
    init(_ handler: HTTPHandler? = nil) throws {
        var routes = HTTPRoutes()
        if let handler { routes.other = HTTPRoute(handler: handler) }
        core = try HTTPServerCore(routes)
    }

    deinit { core.stop() }

    var port: UInt16 { core.port }

    /// The URL of a path, which may have a query.
    func url(_ path: String) -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { preconditionFailure("no path: \(path)") }
        return url
    }

    /// Has requests for a path answered by a handler.
    func on(_ path: String, uploads: HTTPUploads = .kept, _ handler: @escaping HTTPHandler) {
        core.routes.withLock { $0.byPath[path] = HTTPRoute(uploads: uploads, handler: handler) }
    }

    /// Closes everything; whoever waits for something gets an `HTTPRecorder.Stopped`.
    func stop() { core.stop() }
}

extension HTTPServer {
    /// What clients have done so far.
    var records: HTTPRecords { core.recorder.records }

    /// Waits until the records are as they should be, and gives them.
    ///
    /// - Parameter condition: Asked at once, and at each change. It must not call the server.
    /// - Throws: `CancellationError` when the task is cancelled, as by a test's time limit; `HTTPRecorder.Stopped` when
    ///   it will not be any more, as the server has stopped.
    @discardableResult
    func waitUntil(_ condition: @escaping @Sendable (HTTPRecords) -> Bool) async throws -> HTTPRecords {
        try await core.recorder.wait { condition($0) ? $0 : nil }
    }

    /// The first request that has not yet been given by this, as soon as there is one.
    ///
    /// It throws as `waitUntil` does.
    func nextRequest() async throws -> HTTPRequest {
        try await core.recorder.wait { $0.takeRequest() }
    }

    /// The first connection closed by its client that has not yet been given by this, as soon as there is one.
    ///
    /// It throws as `waitUntil` does.
    @discardableResult
    func nextClientClose() async throws -> HTTPRecords.Connection {
        try await core.recorder.wait { $0.takeClientClose() }
    }
}
