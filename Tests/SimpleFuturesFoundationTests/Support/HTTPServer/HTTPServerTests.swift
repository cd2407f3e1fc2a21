import Foundation
import Testing
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerTests {
    @Test func `it answers a request, keeps the connection, and answers the next one`() async throws {
        let server = try HTTPServer { .text("You asked for \($0.target).") }
        let client = try RawClient(server)
        for target in ["/one", "/two?three=four"] {
            try await client.send("GET \(target) HTTP/1.1\nHost: here\n\n")
            let answer = try await client.receive(through: ".")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("\nContent-Length: "))
            #expect(answer.hasSuffix("\n\nYou asked for \(target)."))
        }
        #expect(server.records.requests.map(\.path) == ["/one", "/two"])
        #expect(server.records.requests.map(\.query) == [nil, "three=four"])
        #expect(server.records.requests.map(\.headers["host"]) == ["here", "here"])
        #expect(server.records.connections.map(\.requestCount) == [2])
    }

    @Test func `routes take precedence over the handler, and without either there is a 404`() async throws {
        let server = try HTTPServer()
        server.on("/here") { _ in .text("yes.") }
        let client = try RawClient(server)
        try await client.send("GET /here?q HTTP/1.1\n\n")
        #expect(try await client.receive(through: "yes.").hasPrefix("HTTP/1.1 200 "))
        try await client.send("GET /there HTTP/1.1\n\n")
        #expect(try await client.receive(through: "/there.").hasPrefix("HTTP/1.1 404 "))
    }

    @Test(arguments: ["Connection: close\n", "Connection: Close\n"])
    func `it closes when the client asks for it`(header: String) async throws {
        let server = try HTTPServer { _ in .text("bye") }
        let client = try RawClient(server)
        try await client.send("GET / HTTP/1.1\n\(header)\n")
        #expect(try await client.receiveToEnd().hasSuffix("\n\nbye"))
        #expect(server.records.connections[0].closing?.side == .server)
    }

    @Test(arguments: [
        "\n\n", "GET\n\n", "GET / HTTP/2\n\n", "GET / HTTP/1.1 x\n\n", "GET nowhere HTTP/1.1\n\n",
        "GET / HTTP/1.1\nno colon\n\n", "GET / HTTP/1.1\n: x\n\n", "PUT / HTTP/1.1\nContent-Length: x\n\n",
        "PUT / HTTP/1.1\nContent-Length: -1\n\n", "PUT / HTTP/1.1\nTransfer-Encoding: gzip\n\n",
        "PUT / HTTP/1.1\nTransfer-Encoding: chunked\n\nx\n", "PUT / HTTP/1.1\nTransfer-Encoding: chunked\n\n1\nabc\n",
    ])
    func `what is no request is answered with 400, and the connection closed`(text: String) async throws {
        let server = try HTTPServer { _ in .text("never") }
        let client = try RawClient(server)
        try await client.send(text)
        #expect(try await client.receiveToEnd().hasPrefix("HTTP/1.1 400 "))
        #expect(server.records.requests.isEmpty)
    }

    @Test func `a head that does not end is answered with 400, too`() async throws {
        let server = try HTTPServer { _ in .text("never") }
        let client = try RawClient(server)
        try await client.send(String(repeating: "x", count: 65_537))
        #expect(try await client.receiveToEnd().hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `a body comes by its length, or in chunks with extensions and trailers`() async throws {
        let server = try HTTPServer { .echo($0) }
        let client = try RawClient(server)
        try await client.send("PUT / HTTP/1.1\nContent-Length: 5\nX-A: b\n\nhell")
        try await client.send("o")
        let answer = try await client.receive(through: "hello")
        #expect(answer.contains("\nEcho-Method: PUT\n") && answer.contains("\nEcho-X-A: b\n"))
        try await client.send("POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n2;x=y\nhe\n3\nllo\n0\nTrailer: x\n\n")
        #expect(try await client.receive(through: "\n\nhello").contains("\nEcho-Method: POST\n"))
        #expect(server.records.requests.map(\.body) == [Data("hello".utf8), Data("hello".utf8)])
        #expect(server.records.connections.map(\.bodyBytesReceived) == [10])
    }

    @Test func `it tells a client that waits for it to send the body`() async throws {
        let server = try HTTPServer { .echo($0) }
        let client = try RawClient(server)
        try await client.send("PUT / HTTP/1.1\nContent-Length: 2\nExpect: 100-continue\n\n")
        #expect(try await client.receiveHead() == "HTTP/1.1 100 Continue\n\n")
        try await client.send("ok")
        #expect(try await client.receive(through: "\n\nok").hasPrefix("HTTP/1.1 200 "))
    }
}
