import Foundation
@testable import TestSupport

/// What clients have done so far.
struct HTTPRecords: Sendable {
    /// What one connection has seen.
    struct Connection: Sendable {
        /// Counted from 0, in the order in which the server took them; the index in `connections`.
        let id: Int
        var requestCount = 0
        /// Bytes of bodies that came, and that the socket took.
        var bodyBytesReceived = 0
        var bodyBytesSent = 0
        /// Whether the socket did not take more when it was last tried, as the client reads nothing, or too slowly.
        var isBlocked = false
        var phase = Phase.idle
        /// How it ended, nil while it is open.
        var closing: Closing?
    }

    /// What a connection is at.
    enum Phase: Sendable, Equatable {
        /// There is no byte of a request.
        case idle
        /// There is a part of one.
        case request
        /// There is a request whose response is not yet with the socket, or not all of it.
        case response
    }

    /// How a connection ended; a client that only says that it has sent all is taken to have closed.
    struct Closing: Sendable {
        enum Side: Sendable { case client, server }

        let side: Side
        /// What the connection was at.
        let phase: Phase
        /// The `errno` with which the client's end was seen, nil when it closed in order.
        let error: Int32?
        let time = ContinuousClock.now
    }

    /// All requests, in the order in which they were complete.
    fileprivate(set) var requests: [HTTPRequest] = []
    fileprivate(set) var connections: [Connection] = []
    fileprivate(set) var openConnections = 0
    /// The connections that their clients closed, in that order.
    fileprivate(set) var clientCloses: [Connection] = []
    fileprivate(set) var bodyBytesSent = 0

    // How many of the above have been asked for, one by one.
    fileprivate(set) var requestsTaken = 0
    fileprivate(set) var clientClosesTaken = 0

    func requestCount(_ path: String) -> Int { requests.count { $0.path == path } }
}

extension HTTPRecords {
    mutating func addConnection() -> Int {
        connections.append(Connection(id: connections.count))
        openConnections += 1
        return connections.count - 1
    }

    mutating func add(_ request: HTTPRequest) {
        requests.append(request)
        connections[request.connection].requestCount += 1
        connections[request.connection].phase = .response
    }

    mutating func set(_ phase: Phase, of connection: Int) { connections[connection].phase = phase }

    mutating func received(_ count: Int, on connection: Int) { connections[connection].bodyBytesReceived += count }

    mutating func block(_ connection: Int) { connections[connection].isBlocked = true }

    mutating func sent(_ count: Int, on connection: Int) {
        connections[connection].isBlocked = false
        connections[connection].bodyBytesSent += count
        bodyBytesSent += count
    }

    mutating func close(_ connection: Int, by side: Closing.Side, error: Int32?) {
        connections[connection].closing = Closing(side: side, phase: connections[connection].phase, error: error)
        openConnections -= 1
        if side == .client { clientCloses.append(connections[connection]) }
    }

    mutating func takeRequest() -> HTTPRequest? {
        guard requestsTaken < requests.count else { return nil }
        requestsTaken += 1
        return requests[requestsTaken - 1]
    }

    mutating func takeClientClose() -> Connection? {
        guard clientClosesTaken < clientCloses.count else { return nil }
        clientClosesTaken += 1
        return clientCloses[clientClosesTaken - 1]
    }
}
