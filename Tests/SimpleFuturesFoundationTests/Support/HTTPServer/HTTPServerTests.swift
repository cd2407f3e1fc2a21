import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

/// Checks the properties of the server that the tests of clients rely on, with a client that sends exactly the given
/// text.
@Suite("The HTTP server of the tests", .watchdog)
struct HTTPServerTests {
    @Test(arguments: [
        (
            HTTPResponse.fixed(status: 201, headers: ["A": "b"], body: Data("made".utf8)),
            "HTTP/1.1 201 Status\nA: b\nContent-Length: 4\n\nmade"
        ),
        (.fixed(status: 204), "HTTP/1.1 204 Status\n\n"),
        (.redirect(to: "/there"), "HTTP/1.1 302 Status\nContent-Length: 0\nLocation: /there\n\n"),
        (.brokenOff(declaring: 9, sending: "four"), "HTTP/1.1 200 Status\nContent-Length: 9\n\nfour"),
        (.pattern(count: 0, status: 500), "HTTP/1.1 500 Status\nContent-Length: 0\n\n"),
        (.pattern(count: 0, chunked: true), "HTTP/1.1 200 Status\nTransfer-Encoding: chunked\n\n0\n\n"),
        (.hangUp, ""),
    ])
    func `a response is sent as declared`(response: HTTPResponse, text: String) async throws {
        let server = try HTTPServer { _ in response }
        let client = try RawClient(server)
        await client.send("GET / HTTP/1.1\nConnection: close\n\n")
        #expect(await client.receiveToEnd() == text)
        try await server.waitUntil { $0.openConnections == 0 }
        #expect(server.records.clientCloses.isEmpty)
    }

    @Test func `a writer sends the head at once, and each chunk when it is written`() async throws {
        let writer = BodyWriter("early")
        let server = try HTTPServer { _ in .written(by: writer, status: 206) }
        let client = try RawClient(server)
        await client.send("GET / HTTP/1.1\n\n")
        #expect(await client.receive("HTTP/1.1 206 Status\nTransfer-Encoding: chunked\n\n5\nearly\n"))
        writer.write("late")
        #expect(await client.receive("4\nlate\n"))
        // Counted after they were sent.
        try await server.waitUntil { $0.bodyBytesSent == 9 }
        writer.finish()
        #expect(await client.receive("0\n\n"))
    }

    @Test func `requests can arrive in pieces and one after the other on a connection, and have routes`() async throws {
        let server = try HTTPServer { .fixed(body: $0.body) }
        server.on("/here") { _ in .text("yes", status: 203) }
        let client = try RawClient(server)
        for piece in ["PUT / HTT", "P/1.1\ncontent-length: 5\nExpect: 100-continue\n\n"] { await client.send(piece) }
        #expect(await client.receive("HTTP/1.1 100 Continue\n\n"))
        for piece in ["hel", "lo"] { await client.send(piece) }
        #expect(await client.receive("HTTP/1.1 200 Status\nContent-Length: 5\n\nhello"))
        await client.send("GET /here HTTP/1.1\nConnection: close\n\n")
        #expect(await client.receiveToEnd().hasSuffix("\n\nyes"))
        #expect(server.records.requests.map(\.path) == ["/", "/here"])
    }

    @Test(arguments: ["\n\n", "GET / HTTP/2\n\n", "PUT / HTTP/1.1\nTransfer-Encoding: chunked\n\n"])
    func `a malformed request is answered with 400 and is not recorded`(text: String) async throws {
        let server = try HTTPServer()
        let client = try RawClient(server)
        await client.send(text)
        #expect(await client.receiveToEnd().hasPrefix("HTTP/1.1 400 "))
        #expect(server.records.requests.isEmpty)
    }

    @Test(arguments: ["", "PUT / HTTP/1.1\nContent-Length: 9\n\nhalf", "GET / HTTP/1.1\n\n"])
    func `a closing client is recorded, and whether it was waiting`(text: String) async throws {
        let server = try HTTPServer { _ in .silence }
        do {
            let client = try RawClient(server)
            await client.send(text)
            try await server.waitUntil { $0.openConnections == 1 && (text.first != "G" || $0.requests.count == 1) }
        }
        #expect(try await server.nextClientClose().wasWaiting == text.hasPrefix("GET"))
        #expect(server.records.openConnections == 0)
    }

    @Test func `a released server has closed all connections`() async throws {
        weak var released: HTTPServer?
        let client: RawClient
        let port: UInt16
        do {
            let server = try HTTPServer { _ in .pattern(count: .max) }
            (released, port) = (server, server.port)
            client = try RawClient(server)
            await client.send("GET / HTTP/1.1\n\n")
            _ = try await server.nextRequest()
        }
        #expect(released == nil)
        await client.skipToEnd()
        #expect(throws: Sockets.Failure.self) { try Sockets.connection(port: port) }
    }
}

/// A client that sends exactly the given text, with HTTP line endings.
private final class RawClient: Sendable {
    private let socket: Int32
    private let buffer = Box(Data())

    init(_ server: HTTPServer) throws { socket = try Sockets.connection(port: server.port) }

    deinit { close(socket) }

    func send(_ text: String) async {
        let bytes = Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        await onThread { [self] in _ = Sockets.send(bytes, to: socket) }
    }

    /// Whether the next received bytes are this text.
    func receive(_ text: String) async -> Bool {
        let bytes = Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        return await onThread { [self] in
            buffer.change { buffer in
                while buffer.count < bytes.count, Sockets.receive(from: socket, &buffer) {}
                defer { buffer = Data(buffer.dropFirst(bytes.count)) }
                return buffer.prefix(bytes.count) == bytes
            }
        }
    }

    func skipToEnd() async {
        await onThread { [self] in buffer.change { buffer in while Sockets.receive(from: socket, &buffer) {} } }
    }

    func receiveToEnd() async -> String {
        await onThread { [self] in
            buffer.change { buffer in
                while Sockets.receive(from: socket, &buffer) {}
                return String(decoding: buffer, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
            }
        }
    }
}
