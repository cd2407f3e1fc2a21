import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

@Suite(.watchdog) struct URLSessionTests {
    let test = TestSession()
    var session: URLSession { test.session }

    // MARK: Data

    @Test func `data gives the body and the response`() async throws {
        let server = try HTTPServer { _ in .text("hello", status: 203) }
        let (data, response) = try await session.data(for: server.request("/"), cancelToken: .none).value
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 203)
    }

    @Test func `without a token the future is what code gets that is not asynchronous`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        func load() -> Future<(Data, URLResponse)> { session.data(from: server.url("/")) }
        #expect(try await load().value.0.count == 5)
        // And what asynchronous code gets is the system's.
        let (data, _) = try await session.data(from: server.url("/"))
        #expect(data.count == 5)
    }

    @Test func `the transfer begins at once, whoever waits`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        _ = session.data(from: server.url("/path"), cancelToken: .none)
        #expect(try await server.nextRequest().path == "/path")
    }

    @Test func `a cancelled token stops the transfer and cancels the future`() async throws {
        let writer = BodyWriter()
        let server = try HTTPServer { _ in .written(by: writer) }
        let token = CancelToken()
        let future = session.data(from: server.url("/"), cancelToken: token)
        writer.write("the beginning")
        try await server.waitUntil { $0.bodyBytesSent > 0 }
        token.cancel()
        #expect(future.isCancelled)
        await #expect(throws: CancellationError.self) { try await future.value }
        #expect(try await server.nextClientClose().closing?.phase == .response)
    }

    @Test func `a cancelled task stops the transfer`() async throws {
        let server = try HTTPServer { _ in .silence }
        let task = Task {
            try await withCancelToken { token in
                try await session.data(from: server.url("/"), cancelToken: token).value(cancelling: token)
            }
        }
        _ = try await server.nextRequest()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await server.nextClientClose().closing?.phase == .response)
    }

    @Test func `under a cancelled token nothing is sent`() async throws {
        let server = try HTTPServer { _ in .text("no") }
        let token = CancelToken()
        token.cancel()
        #expect(session.data(from: server.url("/first"), cancelToken: token).isCancelled)
        #expect(session.upload(for: server.request("/first"), from: Data(), cancelToken: token).isCancelled)
        #expect(session.download(from: server.url("/first"), cancelToken: token).isCancelled)
        #expect(session.body(for: server.request("/first"), capacity: 0, cancelToken: token).isCancelled)
        _ = try await session.data(from: server.url("/second"), cancelToken: .none).value
        #expect(server.records.requests.map(\.path) == ["/second"])
    }

    @Test func `a token that is cancelled after the end changes nothing`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let token = CancelToken()
        let future = session.data(from: server.url("/"), cancelToken: token)
        _ = try await future.value
        token.cancel()
        #expect(future.result?.value?.0.count == 5)
        // The session is left as it was.
        _ = try await session.data(from: server.url("/"), cancelToken: .none).value
        #expect(server.records.requests.count == 2)
    }

    @Test func `the time limit of the session fails the future and closes the connection`() async throws {
        let server = try HTTPServer { _ in .silence }
        let test = TestSession(timeout: 0.5)
        await #expect(throws: URLError(.timedOut)) {
            do {
                _ = try await test.session.data(from: server.url("/"), cancelToken: .none).value
            } catch let error as URLError { throw URLError(error.code) }
        }
        try await server.nextClientClose()
    }

    @Test func `a body that is broken off fails the future`() async throws {
        let server = try HTTPServer { _ in .brokenOff(declaring: 100, sending: Data("half".utf8)) }
        await #expect(throws: URLError.self) {
            try await session.data(from: server.url("/"), cancelToken: .none).value
        }
    }

    @Test func `a server that is not there fails the future`() async throws {
        let server = try HTTPServer()
        let url = server.url("/")
        server.stop()
        await #expect(throws: URLError.self) { try await session.data(from: url, cancelToken: .none).value }
    }

    @Test func `redirections are followed, but not for ever`() async throws {
        let server = try HTTPServer { _ in .redirect(to: "/loop") }
        server.on("/once") { _ in .redirect(to: "/end") }
        server.on("/end") { _ in .text("the end") }
        let (data, response) = try await session.data(from: server.url("/once"), cancelToken: .none).value
        #expect(data.count == 7 && response.url?.path == "/end")
        await #expect(throws: URLError.self) {
            try await session.data(from: server.url("/loop"), cancelToken: .none).value
        }
    }

    // MARK: Upload

    @Test func `upload sends data`() async throws {
        let server = try HTTPServer { .echo($0) }
        let body = Data(repeating: 7, count: 300_000)
        let (answer, _) = try await session.upload(
            for: server.request("/", method: "PUT"), from: body, cancelToken: CancelToken()
        ).value
        #expect(answer == body)
        #expect(server.records.requests.first?.method == "PUT")
    }

    @Test func `upload sends a file`() async throws {
        let server = try HTTPServer { .echo($0) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (answer, _) = try await session.upload(
            for: server.request("/", method: "POST"), fromFile: file, cancelToken: .none
        ).value
        #expect(answer == Data("content".utf8))
    }

    @Test func `a cancelled upload closes the connection`() async throws {
        let server = try HTTPServer { _ in .silence }
        let token = CancelToken()
        let future = session.upload(for: server.request("/", method: "POST"), from: Data([1]), cancelToken: token)
        _ = try await server.nextRequest()
        token.cancel()
        #expect(future.isCancelled)
        try await server.nextClientClose()
    }
}
