import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Bodies as streams", .watchdog) struct BodyTests {
    let test = TestSession()
    var session: URLSession { test.session }

    private func body(
        _ server: HTTPServer, capacity: Int = 0, cancelToken: CancelToken = .none
    ) async throws -> FutureStream<Data> {
        try await session.body(for: server.request(), capacity: capacity, cancelToken: cancelToken).value.0
    }

    /// The forms of a body.
    enum Form: String, CaseIterable {
        case stream, sequence

        /// Returns a function that reads the next piece.
        func begin(
            _ request: URLRequest, in session: URLSession
        ) async throws -> (next: () async throws -> Data?, response: URLResponse) {
            switch self {
            case .stream:
                let (body, response) = try await session.body(for: request, capacity: 0).value
                var pieces = body.values.makeAsyncIterator()
                return ({ try await pieces.next() }, response)
            case .sequence:
                let (body, response) = try await session.asyncBody(for: request)
                var pieces = body.makeAsyncIterator()
                return ({ try await pieces.next() }, response)
            }
        }
    }

    @Test(arguments: Form.allCases)
    func `the head arrives before the body, and each piece as soon as it is available`(form: Form) async throws {
        let writer = BodyWriter()
        let server = HTTPServer { _ in .written(by: writer, status: 201) }
        let (next, response) = try await form.begin(server.request(), in: session)
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        for text in ["one", "two"] {
            writer.write(text)
            #expect(try await next() == Data(text.utf8))
        }
        writer.finish()
        for _ in 0..<2 { #expect(try await next() == nil) }
    }

    @Test(arguments: Form.allCases)
    func `an informational response is not the head`(form: Form) async throws {
        let server = HTTPServer { _ in .text("answer", status: 201) }
        var request = server.request(method: "POST")
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        request.httpBody = Data("question".utf8)
        let (next, response) = try await form.begin(request, in: session)
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(try await next() == Data("answer".utf8))
        #expect(try await next() == nil)
    }

    @Test(arguments: Form.allCases)
    func `a redirection without a location is the response`(form: Form) async throws {
        let server = HTTPServer { _ in .fixed(status: 302) }
        let (next, response) = try await form.begin(server.request(), in: session)
        #expect((response as? HTTPURLResponse)?.statusCode == 302)
        #expect(try await next() == nil)
    }

    @Test func `100 MB go through a bounded buffer`() async {
        await #expect(processExitsWith: .success) {
            let size = 100_000_000
            let server = HTTPServer { _ in .pattern(count: size) { _ in usleep(100) } }
            let test = TestSession()
            let body = try await test.session.body(for: server.request(), capacity: 0).value.0
            try await expectMemory(atMost: size / 2) {
                let all = Lock((pieces: 0, bytes: 0, matches: true))
                body.onSuccess(context: immediate) { piece in
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
                let known = count + pieces.droppedCount
                precondition(known <= allPieces && count > 0, "\(count) and \(pieces.droppedCount)")
            }
        }
    }

    @Test(arguments: ["stream", "loop"])
    func `a slow reader loses nothing, and the waiting body needs little memory`(reader: String) async {
        await #expect(processExitsWith: .success) { [reader] in
            let size = 90_000_000
            let server = HTTPServer { _ in .pattern(count: size) { waitUntilStored($0) } }
            let (test, count) = (TestSession(), Box(0))
            let check = { @Sendable (piece: Data) in
                precondition(HTTPPattern.matches(piece, at: count.value))
                count.value += piece.count
            }
            let hasArrived: () async throws -> Void = {
                #if os(Linux)
                // On Apple's systems the task is suspended.
                try await server.waitUntil { $0.bodyBytesSent == size }
                #endif
            }
            // Sessions on Linux keep some of it, up to 30 MB beside other processes.
            try await expectMemory(atMost: size / 2) {
                if reader == "stream" {
                    let (body, _) = try await test.session.body(for: server.request(), capacity: 0).value
                    try await hasArrived()
                    let end = Promise<Void>()
                    body.onSuccess(context: immediate) { check($0) }
                    body.onFinish(context: immediate) { end.success() }
                    try await end.future.value
                } else {
                    let (body, _) = try await test.session.asyncBody(for: server.request())
                    try await hasArrived()
                    for try await piece in body { check(piece) }
                }
            }
            precondition(count.value == size, "\(count.value)")
        }
    }

    /// A way to end a transfer whose stream is held.
    struct Ending: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var capacity = 0
        let run: @Sendable (FutureStream<Data>, CancelToken, BodyWriter) async throws -> Void

        static let all = [
            // The first piece is replayed, because it may arrive before the second subscription.
            Ending(testDescription: "the last subscriber leaves", capacity: 2) { body, _, writer in
                let (first, second, all) = (CancelToken(), CancelToken(), Box(Data()))
                body.onSuccess(context: immediate, cancelToken: first) { _ in }
                body.onSuccess(context: immediate, cancelToken: second) { piece in all.change { $0.append(piece) } }
                first.cancel()
                writer.write(", the second")
                await until { all.value == Data("the first piece, the second".utf8) }
                second.cancel()
            },
            Ending(testDescription: "the loop is left") { body, _, _ in
                for try await _ in body.values { break }
            },
            Ending(testDescription: "the task of the loop is canceled") { body, _, _ in
                let hasBegun = Promise<Void>()
                let loop = Task { for try await _ in body.values { hasBegun.success() } }
                try await hasBegun.future.value
                loop.cancel()
                await #expect(throws: CancellationError.self) { try await loop.value }
            },
            Ending(testDescription: "the token is canceled") { _, token, _ in token.cancel() },
            Ending(testDescription: "the token is canceled, with a subscriber") { body, token, _ in
                body.onSuccess(context: immediate) { _ in }
                token.cancel()
            },
        ]
    }

    @Test(arguments: Ending.all)
    func `the transfer ends and the body is canceled when the reading stops`(ending: Ending) async throws {
        let writer = BodyWriter("the first piece")
        let server = HTTPServer { _ in .written(by: writer) }
        let token = CancelToken()
        let body = try await body(server, capacity: ending.capacity, cancelToken: token)
        #expect(server.records.clientCloses == 0)
        try await ending.run(body, token, writer)
        #expect(body.isCancelled)
        try await server.waitForClientClose()
        withExtendedLifetime(body) {}
    }

    @Test func `the transfer ends when the stream or its future is dropped`() async throws {
        let server = HTTPServer { _ in .written(by: BodyWriter("the first piece")) }
        _ = try await body(server)
        try await server.waitForClientClose(1)
        _ = session.body(for: server.request(), capacity: 0)
        try await server.waitForClientClose(2)
    }

    @Test func `the transfer ends with the loop, even in the middle of a large body`() async throws {
        // An endless body would keep FoundationNetworking from any other work, including cancellations.
        let server = HTTPServer { _ in .pattern(count: 50_000_000) }
        for try await _ in try await body(server).values { break }
        try await server.waitForClientClose()
    }

    @Test func `a loop with too small a buffer fails, and the transfer ends`() async throws {
        let writer = BodyWriter()
        let server = HTTPServer { _ in .written(by: writer) }
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
        try await server.waitForClientClose()
        #expect(body.isCancelled)
    }

    @Test(arguments: Form.allCases)
    func `an interrupted body fails after all pieces before, then ends`(form: Form) async throws {
        let server = HTTPServer { _ in .brokenOff(declaring: 100, sending: "half") }
        let (next, _) = try await form.begin(server.request(), in: session)
        var text = ""
        await #expect(throws: URLError.self) {
            while let piece = try await next() { text += String(decoding: piece, as: UTF8.self) }
        }
        #expect(text == "half")
        #expect(try await next() == nil)
    }

    @Test func `redirections are forwarded to the session's delegate`() async throws {
        let server = HTTPServer { $0.path == "/from" ? .redirect(to: "/to") : .text("the end") }
        let test = TestSession(delegate: NoRedirections())
        let (_, response) = try await test.session.body(for: server.request("/from"), capacity: 0).value
        #expect((response as? HTTPURLResponse)?.statusCode == 302)
        let (_, other) = try await session.body(for: server.request("/from"), capacity: 0).value
        #expect(other.url?.path == "/to")
    }

    @Test(arguments: ["token", "session"])
    func `a redirection that is answered after the transfer has ended has no effect`(ending: String) async throws {
        let server = HTTPServer { $0.path == "/from" ? .redirect(to: "/to") : .text("the end") }
        let (delegate, token) = (LateRedirections(), CancelToken())
        let test = TestSession(delegate: delegate)
        let session = test.session
        delegate.end.value = { if ending == "token" { token.cancel() } else { session.invalidateAndCancel() } }
        let body = session.body(for: server.request("/from"), capacity: 0, cancelToken: token)
        try await delegate.answer.future.value
        #expect(await body.outcome.error != nil)
        #expect(server.records.requests.map(\.path) == ["/from"])
        delegate.end.value = {}
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

    /// Ends the transfer, and accepts the redirection when its task has ended.
    private final class LateRedirections: NSObject, URLSessionTaskDelegate, Sendable {
        let end = Box<@Sendable () -> Void>({})
        let answer = Promise<Void>()

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            end.value()
            Task {
                await until { task.state == .completed }
                completionHandler(request)
                // Has no effect, but waits for the effect of the answer.
                task.cancel()
                answer.success()
            }
        }
    }
}
