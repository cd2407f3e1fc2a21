import Foundation
import Testing
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerUploadTests {
    /// More than the sockets of both sides take.
    private let big = 20_000_000

    @Test func `an upload may be counted and not kept`() async throws {
        let server = try HTTPServer()
        server.on("/", uploads: .counted) { .text("\($0.bodyCount) bytes.") }
        let client = try RawClient(server)
        try await client.send("PUT / HTTP/1.1\nContent-Length: \(big)\n\n")
        try await client.send(Data(count: big))
        #expect(try await client.receive(through: ".").hasSuffix("\n\n\(big) bytes."))
        #expect(server.records.requests[0].body.isEmpty)
    }

    @Test func `an upload is held until the gate opens`() async throws {
        let gate = UploadGate()
        let server = try HTTPServer()
        server.on("/", uploads: .held(gate)) { .text("\($0.body.count) bytes.") }
        let client = try RawClient(server)
        try await client.send("PUT / HTTP/1.1\nContent-Length: \(big)\n\n")
        let upload = Task { [big] in try await client.send(Data(count: big)) }
        let held = try await server.waitUntil { $0.connections.first?.phase == .request }
        #expect(held.connections[0].bodyBytesReceived == 0)
        gate.open()
        try await upload.value
        #expect(try await client.receive(through: ".").hasSuffix("\n\n\(big) bytes."))
    }

    @Test func `a client that gives up while its upload is held is seen when the gate opens`() async throws {
        let gate = UploadGate()
        let server = try HTTPServer()
        server.on("/", uploads: .held(gate)) { _ in .text("never") }
        do {
            let client = try RawClient(server)
            try await client.send("PUT / HTTP/1.1\nContent-Length: 9\n\nhalf")
            try await server.waitUntil { $0.connections.first?.phase == .request }
        }
        gate.open()
        let connection = try await server.nextClientClose()
        #expect(connection.closing?.phase == .request)
        #expect(connection.bodyBytesReceived == 4)
        #expect(connection.requestCount == 0)
    }

    @Test func `an answer may come before the upload is read, which ends the connection`() async throws {
        let server = try HTTPServer()
        server.on("/", uploads: .ignored) { .text("\($0.method)?", status: 413) }
        let client = try RawClient(server)
        try await client.send("PUT / HTTP/1.1\nContent-Length: 9\nExpect: 100-continue\n\nhalf")
        #expect(try await client.receiveToEnd().hasSuffix("\n\nPUT?"))
        let other = try RawClient(server)
        for method in ["GET", "HEAD", "DELETE"] {
            try await other.send("\(method) / HTTP/1.1\n\n")
            #expect(try await other.receive(through: method == "HEAD" ? "\n\n" : "?").hasPrefix("HTTP/1.1 413 "))
        }
    }
}
