import Foundation
import Testing
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerRecordTests {
    @Test(arguments: [false, true])
    func `it sees a client that closes between requests`(resetting: Bool) async throws {
        let server = try HTTPServer { _ in .text("ok") }
        do {
            let client = try RawClient(server)
            try await client.send("GET / HTTP/1.1\n\n")
            _ = try await client.receive(through: "ok")
            if resetting { client.resetWhenReleased() }
        }
        let connection = try await server.nextClientClose()
        #expect(connection.closing?.phase == .idle)
        #expect((connection.closing?.error != nil) == resetting)
        #expect(server.records.openConnections == 0)
    }

    @Test(arguments: [false, true])
    func `it sees a client that closes in the middle of a request`(resetting: Bool) async throws {
        let server = try HTTPServer { _ in .text("never") }
        do {
            let client = try RawClient(server)
            try await client.send("PUT / HTTP/1.1\nContent-Length: 9\n\nhalf")
            try await server.waitUntil { $0.connections.first?.bodyBytesReceived == 4 }
            if resetting { client.resetWhenReleased() }
        }
        let connection = try await server.nextClientClose()
        #expect(connection.closing?.phase == .request)
        #expect(server.records.requests.isEmpty)
    }

    @Test(arguments: [HTTPResponse.headOnly, .silence, .endless, .late(LateResponse())], [false, true])
    func `it sees a client that closes while a response is due`(response: HTTPResponse, resetting: Bool) async throws {
        let server = try HTTPServer { _ in response }
        do {
            let client = try RawClient(server)
            try await client.send("GET / HTTP/1.1\n\n")
            _ = try await server.nextRequest()
            if resetting { client.resetWhenReleased() }
        }
        let connection = try await server.nextClientClose()
        #expect(connection.closing?.phase == .response)
    }

    @Test func `whoever waits gets an error when the server stops`() async throws {
        let server = try HTTPServer()
        let request = Task { try await server.nextRequest() }
        let close = Task { try await server.nextClientClose() }
        let records = Task { try await server.waitUntil { $0.connections.count == 9 } }
        server.stop()
        await #expect(throws: HTTPRecorder.Stopped.self) { try await request.value }
        await #expect(throws: HTTPRecorder.Stopped.self) { try await close.value }
        await #expect(throws: HTTPRecorder.Stopped.self) { try await records.value }
        await #expect(throws: HTTPRecorder.Stopped.self) { try await server.nextClientClose() }
    }

    @Test func `whoever waits gets an error when its task is cancelled`() async throws {
        let server = try HTTPServer()
        let task = Task { try await server.waitUntil { $0.connections.count == 9 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
