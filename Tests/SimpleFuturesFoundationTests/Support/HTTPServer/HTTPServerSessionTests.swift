import Foundation
import SimpleFutures
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerSessionTests {
    /// What a completion handler got.
    private struct Answer: Sendable {
        let text: String?
        let response: HTTPURLResponse?
        let error: URLError?
    }

    /// Starts a task, hands it over, and waits for its completion handler.
    private func answer(
        to request: URLRequest, in session: URLSession, _ body: (URLSessionTask) async throws -> Void = { _ in }
    ) async throws -> Answer {
        let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
        let task = session.dataTask(with: request) { data, response, error in
            let text = data.map { String(decoding: $0, as: UTF8.self) }
            continuation.yield(
                Answer(text: text, response: response as? HTTPURLResponse, error: error as? URLError))
            continuation.finish()
        }
        task.resume()
        try await body(task)
        return try #require(await answers.first { _ in true })
    }

    @Test func `a session gets what the server says`() async throws {
        let server = try HTTPServer { .text($0.path, status: 203) }
        try await URLSession.with { session in
            for path in ["/one", "/two"] {
                let answer = try await answer(to: URLRequest(url: server.url(path)), in: session)
                #expect(answer.text == path)
                #expect(answer.response?.statusCode == 203)
            }
        }
        #expect(server.records.requests.map(\.path) == ["/one", "/two"])
    }

    @Test func `a session gets its upload back`() async throws {
        let server = try HTTPServer { .echo($0) }
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "PUT"
        request.httpBody = Data("hello".utf8)
        request.setValue("b", forHTTPHeaderField: "X-A")
        try await URLSession.with { session in
            let answer = try await answer(to: request, in: session)
            #expect(answer.text == "hello")
            #expect(answer.response?.value(forHTTPHeaderField: "Echo-Method") == "PUT")
            #expect(answer.response?.value(forHTTPHeaderField: "Echo-X-A") == "b")
        }
    }

    @Test(arguments: [302, 307]) func `a session follows a redirect`(status: Int) async throws {
        let server = try HTTPServer { .text($0.path) }
        server.on("/from") { _ in .redirect(to: "/to", status: status) }
        try await URLSession.with { session in
            let answer = try await answer(to: URLRequest(url: server.url("/from")), in: session)
            #expect(answer.text == "/to")
        }
        #expect(server.records.requests.map(\.path) == ["/from", "/to"])
    }

    @Test func `a session gives up a redirect loop`() async throws {
        let server = try HTTPServer { _ in .redirect(to: "/") }
        try await URLSession.with { session in
            let answer = try await answer(to: URLRequest(url: server.url("/")), in: session)
            #expect(answer.error?.code == .httpTooManyRedirects)
        }
    }

    @Test(arguments: ["/length", "/chunked", "/reset", "/hangUp"])
    func `a session fails when the response is broken off`(path: String) async throws {
        let server = try HTTPServer { _ in .hangUp }
        server.on("/length") { _ in .brokenOff(declaring: 9, sending: Data("some".utf8)) }
        for (path, resetting) in [("/chunked", false), ("/reset", true)] {
            server.on(path) { _ in
                let writer = BodyWriter()
                writer.write("some")
                writer.breakOff(resetting: resetting)
                return .written(by: writer)
            }
        }
        try await URLSession.with { session in
            let answer = try await answer(to: URLRequest(url: server.url(path)), in: session)
            #expect(answer.error != nil)
        }
    }

    @Test(arguments: ["/silence", "/head", "/body"])
    func `the server sees a session that cancels`(path: String) async throws {
        let server = try HTTPServer { _ in .silence }
        server.on("/head") { _ in .headOnly }
        server.on("/body") { _ in
            let writer = BodyWriter()
            writer.write("some")
            return .written(by: writer)
        }
        try await URLSession.with { session in
            let answer = try await answer(to: URLRequest(url: server.url(path)), in: session) { task in
                try await server.waitUntil { $0.requests.count == 1 && (path != "/body" || $0.bodyBytesSent == 4) }
                task.cancel()
            }
            #expect(answer.error?.code == .cancelled)
            let connection = try await server.nextClientClose()
            #expect(connection.closing?.phase == .response)
            #expect(connection.bodyBytesSent == (path == "/body" ? 4 : 0))
        }
        try await server.waitUntil { $0.openConnections == 0 }
    }
}
