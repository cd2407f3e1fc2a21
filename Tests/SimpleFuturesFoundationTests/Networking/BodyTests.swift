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

@Suite("Bodies as streams", .watchdog) struct BodyTests {
    let test = TestSession()
    var session: URLSession { test.session }

    private func body(
        _ server: HTTPServer, capacity: Int = 0, cancelToken: CancelToken = .none
    ) async throws -> FutureStream<Data> {
        try await session.body(for: server.request("/"), capacity: capacity, cancelToken: cancelToken).value.0
    }

    @Test func `the head arrives before the body, and the body piece by piece`() async throws {
        let writer = BodyWriter()
        let server = try HTTPServer { _ in .written(by: writer, status: 201) }
        let (body, response) = try await session.body(for: server.request("/"), capacity: 0).value
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        var pieces = body.values.makeAsyncIterator()
        for text in ["one", "two"] {
            writer.write(text)
            #expect(try await pieces.next() == Data(text.utf8))
        }
        writer.finish()
        #expect(try await pieces.next() == nil)
        #expect(body.isFinished)
    }

    @Test(arguments: [0, 1, Int.max])
    func `nothing that arrives before the first subscription is lost`(capacity: Int) async throws {
        let server = try HTTPServer { _ in .pattern(count: 1_000_000) }
        let body = try await body(server, capacity: capacity)
        try await server.waitUntil { $0.bodyBytesSent == 1_000_000 }
        var whole = Data()
        // With a replay buffer of one piece the body begins at once, and older pieces are lost.
        for try await piece in body.values { whole.append(piece) }
        if capacity != 1 {
            #expect(whole.count == 1_000_000)
            #expect(HTTPPattern.matches(whole))
        }
    }

    @Test func `200 MB go through a bounded buffer`() async {
        await #expect(processExitsWith: .success) {
            let size = 200_000_000
            let server = try HTTPServer { _ in .pattern(count: size) }
            let test = TestSession()
            let body = try await test.session.body(for: server.request("/"), capacity: 0).value.0
            let before = peakMemory()
            let all = Lock((pieces: 0, bytes: 0, matches: true))
            body.onSuccess(context: ImmediateContext()) { piece in
                all.withLock { all in
                    if all.pieces % 100 == 0, !HTTPPattern.matches(piece, at: all.bytes) { all.matches = false }
                    all.pieces += 1
                    all.bytes += piece.count
                }
            }
            // The loop may begin after the first pieces.
            var pieces = body.values(buffering: .newest(1_000)).makeAsyncIterator()
            var count = 0
            while try await pieces.next() != nil { count += 1 }
            let (allPieces, bytes, matches) = all.withLock { $0 }
            precondition(bytes == size && matches)
            precondition(count + pieces.droppedCount <= allPieces && count > 0, "\(count) and \(pieces.droppedCount)")
            let needed = peakMemory() - before
            precondition(needed < size / 2, "\(needed) bytes were needed")
        }
    }

    @Test func `a loop with too small a buffer fails, and the transfer ends`() async throws {
        let writer = BodyWriter()
        let server = try HTTPServer { _ in .written(by: writer) }
        let body = try await body(server)
        var pieces = body.values(buffering: .failing(1)).makeAsyncIterator()
        var sent = 0
        while pieces.droppedCount == 0 {
            writer.write("piece")
            sent += 5
            try await server.waitUntil { [sent] in $0.bodyBytesSent == sent }
        }
        #expect(try await pieces.next() != nil)
        await #expect(throws: FuturesError.self) { while try await pieces.next() != nil {} }
        try await server.nextClientClose()
        #expect(body.isCancelled)
    }

    /// A server that sends one piece and then nothing more.
    private func makeServer() throws -> HTTPServer {
        try HTTPServer { _ in .written(by: BodyWriter("the first piece")) }
    }

    @Test func `the transfer ends when the last subscriber has left`() async throws {
        let server = try makeServer()
        // The piece is replayed to the second subscriber, because the first one may receive it earlier.
        let body = try await body(server, capacity: 1)
        let (first, second) = (CancelToken(), CancelToken())
        let piece = Promise<Data>()
        body.onSuccess(context: ImmediateContext(), cancelToken: first) { _ in }
        body.onSuccess(context: ImmediateContext(), cancelToken: second) { piece.success($0) }
        first.cancel()
        _ = try await piece.future.value
        #expect(server.records.openConnections == 1)
        second.cancel()
        #expect(body.isCancelled)
        try await server.nextClientClose()
        await #expect(throws: CancellationError.self) { for try await _ in body.values {} }
    }

    // An endless body would keep FoundationNetworking from any other work, including cancellations.
    @Test(arguments: [HTTPResponse.written(by: BodyWriter("the first piece")), .pattern(count: 50_000_000)])
    func `the transfer ends with the loop, even in the middle of a large body`(response: HTTPResponse) async throws {
        let server = try HTTPServer { _ in response }
        for try await _ in try await body(server).values { break }
        try await server.nextClientClose()
    }

    @Test func `the transfer ends when the stream or its future is dropped`() async throws {
        let server = try makeServer()
        _ = try await body(server)
        try await server.nextClientClose()
        _ = session.body(for: server.request("/"), capacity: 0)
        try await server.nextClientClose()
    }

    @Test(arguments: [false, true])
    func `the token ends the transfer and cancels the body`(isListenedTo: Bool) async throws {
        let server = try makeServer()
        let token = CancelToken()
        let body = try await body(server, cancelToken: token)
        if isListenedTo { body.onSuccess(context: ImmediateContext()) { _ in } }
        token.cancel()
        #expect(body.isCancelled)
        try await server.nextClientClose()
    }

    @Test func `the token ends the transfer before there is a head`() async throws {
        let server = try HTTPServer { _ in .silence }
        let token = CancelToken()
        let future = session.body(for: server.request("/"), capacity: 0, cancelToken: token)
        _ = try await server.nextRequest()
        token.cancel()
        #expect(future.isCancelled)
        try await server.nextClientClose()
    }

    @Test func `a canceled task ends the transfer`() async throws {
        let server = try makeServer()
        let (gotOne, wait) = (Promise<Void>(), Promise<Void>())
        let task = Task {
            for try await _ in try await body(server).values {
                gotOne.success()
                try await wait.future.value
            }
        }
        try await gotOne.future.value
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.nextClientClose()
    }

    @Test func `an interrupted body fails, then finishes`() async throws {
        let server = try HTTPServer { _ in .brokenOff(declaring: 100, sending: "half") }
        let body = try await body(server)
        var text = ""
        await #expect(throws: URLError.self) {
            for try await piece in body.values { text += String(decoding: piece, as: UTF8.self) }
        }
        #expect(text == "half")
    }

    @Test func `a response without a head fails the future`() async throws {
        let server = try HTTPServer { _ in .hangUp }
        await #expect(throws: URLError.self) {
            try await session.body(for: server.request("/"), capacity: 0).value
        }
    }

    @Test func `redirections are forwarded to the session's delegate`() async throws {
        let server = try HTTPServer { _ in .text("the end") }
        server.on("/from") { _ in .redirect(to: "/to") }
        let test = TestSession(delegate: NoRedirections())
        let (_, response) = try await test.session.body(for: server.request("/from"), capacity: 0).value
        #expect((response as? HTTPURLResponse)?.statusCode == 302)
        let (_, other) = try await session.body(for: server.request("/from"), capacity: 0).value
        #expect(other.url?.path == "/to")
    }

    @Test func `a negative capacity is refused`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = URLSession.shared.body(for: URLRequest(url: URL(fileURLWithPath: "/")), capacity: -1)
        }
        expect(result, toSay: "A FutureStream was given the capacity -1", "Pass 0")
    }

    /// Rejects redirections.
    private final class NoRedirections: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }
}
