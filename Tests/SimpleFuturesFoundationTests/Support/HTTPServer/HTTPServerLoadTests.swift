import Foundation
import SimpleFutures
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerLoadTests {
    @Test func `it answers a hundred requests at a time`() async throws {
        let count = 100
        let lates = Lock<[LateResponse]>([])
        let server = try HTTPServer { _ in
            let late = LateResponse()
            lates.withLock { $0.append(late) }
            return .late(late)
        }
        try await URLSession.with(connectionsPerHost: count) { session in
            let answers = AsyncStream<String?> { continuation in
                for number in 0..<count {
                    session.dataTask(with: server.url("/\(number)")) { data, _, _ in
                        continuation.yield(data.map { String(decoding: $0, as: UTF8.self) })
                    }.resume()
                }
            }
            let records = try await server.waitUntil { $0.requests.count == count }
            // A request is recorded before it is asked how to answer it.
            await until { lates.withLock { $0.count } == count }
            #expect(records.openConnections == count)
            #expect(Set(records.requests.map(\.path)) == Set((0..<count).map { "/\($0)" }))
            lates.withLock { $0 }.forEach { $0.send(.text("now")) }
            var all: [String?] = []
            for await answer in answers {
                all.append(answer)
                if all.count == count { break }
            }
            #expect(all == Array(repeating: "now", count: count))
        }
    }

    @Test func `what a client does not read is not sent`() async throws {
        let server = try HTTPServer { _ in .endless }
        let client = try RawClient(server)
        try await client.send("GET / HTTP/1.1\n\n")
        try await server.waitUntil { $0.connections.first?.isBlocked == true }
        #expect(server.records.bodyBytesSent < 50_000_000)
        // What it reads makes room for more.
        let sent = server.records.bodyBytesSent
        try await client.receive(count: 50_000_000) { _ in }
        try await server.waitUntil { $0.bodyBytesSent > sent }
    }

    @Test func `when it stops it closes everything`() async throws {
        let server = try HTTPServer { _ in .silence }
        server.on("/endless") { _ in .endless }
        let clients = try (0..<20).map { _ in try RawClient(server) }
        for client in clients[..<10] { try await client.send("GET / HTTP/1.1\n\n") }
        for client in clients[10..<15] { try await client.send("GET /endless HTTP/1.1\n\n") }
        try await server.waitUntil { $0.openConnections == 20 && $0.requests.count == 15 }
        let sockets = openSockets(of: server)
        #expect(sockets.count == 21)
        server.stop()
        #expect(server.records.openConnections == 0)
        #expect(server.records.clientCloses.isEmpty)
        // By then another test may have been given the port.
        #expect(openSockets(of: server).isDisjoint(with: sockets))
        #expect(throws: Sockets.Failure.self) { try RawClient(server) }
        server.stop()
    }

    @Test func `a server that is released has stopped`() async throws {
        weak var released: HTTPServer?
        let client: RawClient
        do {
            let server = try HTTPServer { _ in .silence }
            released = server
            client = try RawClient(server)
            try await client.send("GET / HTTP/1.1\n\n")
            _ = try await server.nextRequest()
        }
        #expect(released == nil)
        #expect(try await client.receiveToEnd() == "")
    }
}
