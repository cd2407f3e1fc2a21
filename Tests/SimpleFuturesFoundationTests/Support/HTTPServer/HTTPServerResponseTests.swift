import Foundation
import Testing
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerResponseTests {
    /// What a client receives until the server closes.
    private func answer(_ response: HTTPResponse, to method: String = "GET") async throws -> String {
        let server = try HTTPServer { _ in response }
        let client = try RawClient(server)
        try await client.send("\(method) / HTTP/1.1\nConnection: close\n\n")
        return try await client.receiveToEnd()
    }

    @Test func `a fixed response has its status, its headers and its length`() async throws {
        let response = HTTPResponse.fixed(status: 201, headers: ["X-A": "b"], body: Data("made".utf8))
        #expect(try await answer(response) == "HTTP/1.1 201 Status\nX-A: b\nContent-Length: 4\n\nmade")
    }

    @Test func `a HEAD has no body, nor has a 204`() async throws {
        #expect(try await answer(.text("four"), to: "HEAD").hasSuffix("\nContent-Length: 4\n\n"))
        #expect(try await answer(.fixed(status: 204)) == "HTTP/1.1 204 Status\n\n")
    }

    @Test func `a redirect says where to go`() async throws {
        let answer = try await answer(.redirect(to: "/there", status: 307))
        #expect(answer == "HTTP/1.1 307 Status\nLocation: /there\nContent-Length: 0\n\n")
    }

    @Test func `a pattern comes with its length, or in chunks`() async throws {
        #expect(try await answer(.pattern(count: 4)).hasPrefix("HTTP/1.1 200 Status\nContent-Length: 4\n\n"))
        let chunked = try await answer(.pattern(count: 0, chunked: true))
        #expect(chunked == "HTTP/1.1 200 Status\nTransfer-Encoding: chunked\n\n0\n\n")
    }

    @Test func `what is broken off ends early`() async throws {
        let body = HTTPResponse.brokenOff(declaring: 9, sending: Data("four".utf8))
        #expect(try await answer(body) == "HTTP/1.1 200 Status\nContent-Length: 9\n\nfour")
        #expect(try await answer(.brokenOffInHead) == "HTTP/1.1 200 OK\nContent-Le")
        #expect(try await answer(.hangUp) == "")
    }

    @Test func `a writer sends the head at once, and each chunk when it is written`() async throws {
        let writer = BodyWriter()
        let server = try HTTPServer { _ in .written(by: writer, status: 206, headers: ["X-A": "b"]) }
        let client = try RawClient(server)
        try await client.send("GET / HTTP/1.1\n\n")
        let head = try await client.receiveHead()
        #expect(head == "HTTP/1.1 206 Status\nX-A: b\nTransfer-Encoding: chunked\n\n")
        #expect(server.records.bodyBytesSent == 0)
        writer.write("one")
        #expect(try await client.receive(through: "one\n") == "3\none\n")
        writer.write("three")
        #expect(try await client.receive(through: "three\n") == "5\nthree\n")
        writer.finish()
        #expect(try await client.receive(through: "\n\n") == "0\n\n")
        #expect(server.records.bodyBytesSent == 8)
    }

    @Test func `a writer may write before there is a request, and the connection is kept`() async throws {
        let server = try HTTPServer { _ in
            let writer = BodyWriter()
            writer.write("all")
            writer.finish()
            return .written(by: writer, framing: .contentLength(3))
        }
        let client = try RawClient(server)
        for _ in 0..<2 {
            try await client.send("GET / HTTP/1.1\n\n")
            #expect(try await client.receive(through: "all").hasSuffix("\nContent-Length: 3\n\nall"))
        }
    }

    @Test(arguments: [HTTPResponse.Framing.chunked, .contentLength(9), .close])
    func `a writer may break off, in order`(framing: HTTPResponse.Framing) async throws {
        let writer = BodyWriter()
        writer.write("some")
        writer.breakOff()
        let answer = try await answer(.written(by: writer, framing: framing))
        #expect(answer.hasSuffix(framing == .chunked ? "some\n" : "some"))
    }

    @Test func `a writer may break off with a reset`() async throws {
        let writer = BodyWriter()
        let server = try HTTPServer { _ in .written(by: writer, framing: .close) }
        let client = try RawClient(server)
        try await client.send("GET / HTTP/1.1\n\n")
        _ = try await client.receiveHead()
        writer.breakOff(resetting: true)
        await #expect(throws: Sockets.Failure.self) { try await client.receiveToEnd() }
        #expect(server.records.connections[0].closing?.side == .server)
    }

    @Test func `a late response comes when the test says`() async throws {
        let late = LateResponse()
        let server = try HTTPServer { _ in .late(late) }
        let client = try RawClient(server)
        try await client.send("GET / HTTP/1.1\n\n")
        _ = try await server.nextRequest()
        late.send(.text("at last"))
        late.send(.text("once more"))
        #expect(try await client.receive(through: "at last").hasPrefix("HTTP/1.1 200 "))
    }
}
