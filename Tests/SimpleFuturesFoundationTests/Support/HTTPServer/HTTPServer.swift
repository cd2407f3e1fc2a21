import Dispatch
import Foundation
import SimpleFutures
@testable import TestSupport

/// The actions of clients so far.
struct HTTPRecords: Sendable {
    /// A connection closed by its client.
    struct ClientClose: Sendable {
        /// Whether a response was due, or not completely sent.
        let wasWaiting: Bool
    }

    /// The complete requests, in order.
    fileprivate(set) var requests: [HTTPRequest] = []
    fileprivate(set) var clientCloses: [ClientClose] = []
    fileprivate(set) var openConnections = 0
    /// The number of bytes that the sockets have accepted.
    fileprivate(set) var bodyBytesSent = 0

    // How many of the records above were returned one by one.
    fileprivate var requestsTaken = 0
    fileprivate var clientClosesTaken = 0
}

/// An HTTP/1.1 server on the loopback interface, for tests of clients.
///
/// It responds as a test specifies, and records the actions of clients. It has no delays of its own:
///
///     let writer = BodyWriter()
///     let server = try HTTPServer { _ in .written(by: writer) }
///     let future = session.dataFuture(from: server.url("/"), cancelToken: token)
///     writer.write("one")
///     try await server.waitUntil { $0.bodyBytesSent == 3 }
///     token.cancel()
///     #expect(try await server.nextClientClose().wasWaiting)
///
/// It stops when it is released.
final class HTTPServer: @unchecked Sendable {
    // Sendable: everything is constant, and any thread may cancel a Dispatch source.

    /// Responds to a request, on a thread of the connection.
    typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    /// The state that the connections share.
    ///
    /// They do not hold the server, which the test releases.
    fileprivate struct State {
        var routes: [String: Handler] = [:]
        var records = HTTPRecords()
        var connections: [ObjectIdentifier: HTTPConnection] = [:]
        var isStopped = false
    }

    let port: UInt16
    private let state = Lock(State())
    private let listener: any DispatchSourceRead
    /// Left when the listening socket is closed.
    private let listening = DispatchGroup()

    /// - Parameter handler: Responds to requests without a route.
    init(_ handler: @escaping Handler = { .text("There is nothing at \($0.path).", status: 404) }) throws {
        let (socket, port) = try Sockets.listener()
        self.port = port
        listener = DispatchSource.makeReadSource(
            fileDescriptor: socket, queue: DispatchQueue(label: "HTTPServer"))
        listener.setEventHandler { [state] in
            while case let descriptor = accept(socket, nil, nil), descriptor >= 0 {
                HTTPConnection(descriptor, state, handler).start()
            }
        }
        listening.enter()
        listener.setCancelHandler { [listening] in
            close(socket)
            listening.leave()
        }
        listener.activate()
    }

    deinit { stop() }

    /// Closes all connections.
    ///
    /// After it returns, new connections are refused.
    func stop() {
        listener.cancel()
        listening.wait()
        let connections = state.withLock { state in
            state.isStopped = true
            return state.connections.values.map { $0 }
        }
        connections.forEach { $0.hangUp() }
    }

    /// Adds a handler for requests to a path.
    func on(_ path: String, _ handler: @escaping Handler) { state.withLock { $0.routes[path] = handler } }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    // MARK: The actions of clients

    var records: HTTPRecords { state.withLock { $0.records } }

    /// Waits until the records satisfy a condition.
    func waitUntil(_ condition: (HTTPRecords) -> Bool) async throws {
        await until { Task.isCancelled || condition(records) }
        try Task.checkCancellation()
    }

    /// Waits for the first request that this function has not returned yet.
    func nextRequest() async throws -> HTTPRequest {
        try await waitUntil { $0.requestsTaken < $0.requests.count }
        return state.withLock { state in
            state.records.requestsTaken += 1
            return state.records.requests[state.records.requestsTaken - 1]
        }
    }

    /// Waits for the first connection closed by its client that this function has not returned yet.
    @discardableResult
    func nextClientClose() async throws -> HTTPRecords.ClientClose {
        try await waitUntil { $0.clientClosesTaken < $0.clientCloses.count }
        return state.withLock { state in
            state.records.clientClosesTaken += 1
            return state.records.clientCloses[state.records.clientClosesTaken - 1]
        }
    }
}

/// One connection: a thread reads from it up to its end, and a queue sends the responses.
private final class HTTPConnection: Sendable {
    private struct Progress {
        var responsesDue = 0
        /// Whether the server has ended the connection.
        var hasHungUp = false
    }

    private let socket: Int32
    private let server: Lock<HTTPServer.State>
    private let handler: HTTPServer.Handler
    private let sending = DispatchQueue(label: "HTTPConnection")
    private let progress = Lock(Progress())

    init(_ socket: Int32, _ server: Lock<HTTPServer.State>, _ handler: @escaping HTTPServer.Handler) {
        (self.socket, self.server, self.handler) = (socket, server, handler)
        Sockets.prepare(socket, blocks: true)
    }

    // Closed here and not earlier, because the number could then belong to another file.
    deinit { close(socket) }

    func start() {
        let isStopped = server.withLock { server in
            server.connections[ObjectIdentifier(self)] = self
            server.records.openConnections += 1
            return server.isStopped
        }
        if isStopped { hangUp() }
        Thread.detachNewThread {
            self.read()
            self.end()
        }
    }

    /// Ends the connection from the server's side.
    func hangUp() {
        progress.withLock { $0.hasHungUp = true }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    // MARK: On the connection's thread

    private func read() {
        var buffer = Data()
        while let request = nextRequest(&buffer) {
            progress.withLock { $0.responsesDue += 1 }
            let handler = server.withLock { server in
                server.records.requests.append(request)
                return server.routes[request.path]
            }
            let response = (handler ?? self.handler)(request)
            sending.async { self.send(response, to: request) }
        }
    }

    /// Returns nil when the connection has ended, or the request is malformed.
    private func nextRequest(_ buffer: inout Data) -> HTTPRequest? {
        while true {
            if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
                guard var request = HTTPRequest(head: buffer[..<end.lowerBound]) else { return refuse() }
                buffer = Data(buffer[end.upperBound...])
                if request.has("expect", "100-continue") {
                    Sockets.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: socket)
                }
                while buffer.count < request.contentLength {
                    guard Sockets.receive(from: socket, &buffer) else { return nil }
                }
                request.body = buffer.prefix(request.contentLength)
                buffer = Data(buffer.dropFirst(request.contentLength))
                return request
            }
            guard Sockets.receive(from: socket, &buffer) else { return nil }
        }
    }

    private func refuse() -> HTTPRequest? {
        Sockets.send(HTTPResponse.fixed(status: 400).head!, to: socket)
        hangUp()
        return nil
    }

    private func end() {
        // Ends a response that waits for the socket.
        shutdown(socket, Int32(SHUT_RDWR))
        let progress = progress.withLock { $0 }
        server.withLock { server in
            server.connections[ObjectIdentifier(self)] = nil
            server.records.openConnections -= 1
            if !progress.hasHungUp {
                server.records.clientCloses.append(.init(wasWaiting: progress.responsesDue > 0))
            }
        }
    }

    // MARK: On the connection's queue

    private func send(_ response: HTTPResponse, to request: HTTPRequest) {
        if let head = response.head { Sockets.send(head, to: socket) }
        switch response {
        case .fixed(_, _, let body, let length):
            sendBody(body)
            if let length, length != body.count { hangUp() } else { responseHasEnded(request) }
        case .pattern(let count, _, let isChunked):
            var sent = 0
            while sent < count {
                let bytes = HTTPPattern.bytes(at: sent, atMost: count - sent)
                guard sendBody(bytes, isChunked: isChunked) else { return }
                sent += bytes.count
            }
            if isChunked { Sockets.send(Data("0\r\n\r\n".utf8), to: socket) }
            responseHasEnded(request)
        case .written(let writer, _):
            // The thread keeps the connection until it ends. The handler, which the connection keeps, may keep the
            // writer.
            writer.attach { [weak self] chunk in
                guard let self else { return }
                sending.async { self.sendChunk(chunk, of: request) }
            }
        case .silence: break
        case .hangUp: hangUp()
        }
    }

    /// - Parameter chunk: Nil for the end.
    private func sendChunk(_ chunk: Data?, of request: HTTPRequest) {
        if let chunk { return _ = sendBody(chunk, isChunked: true) }
        Sockets.send(Data("0\r\n\r\n".utf8), to: socket)
        responseHasEnded(request)
    }

    /// Returns false when the client accepts no more bytes.
    @discardableResult
    private func sendBody(_ bytes: Data, isChunked: Bool = false) -> Bool {
        let (head, tail) = isChunked ? ("\(String(bytes.count, radix: 16))\r\n", "\r\n") : ("", "")
        guard Sockets.send(Data(head.utf8) + bytes + Data(tail.utf8), to: socket) else { return false }
        server.withLock { $0.records.bodyBytesSent += bytes.count }
        return true
    }

    private func responseHasEnded(_ request: HTTPRequest) {
        progress.withLock { $0.responsesDue -= 1 }
        if request.has("connection", "close") { hangUp() }
    }
}

/// The few socket calls, the same on Linux and on Apple's systems.
///
/// A closed peer causes no SIGPIPE, and children do not inherit sockets.
enum Sockets {
    struct Failure: Error {
        let call: String
        let code = errno
    }

    /// Creates a non-blocking socket that listens on a free port of the loopback interface.
    static func listener() throws -> (socket: Int32, port: UInt16) {
        let socket = socket(AF_INET, streamSocket, 0)
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withAddress(&address) {
            bind(socket, $0, size) == 0 && listen(socket, 1024) == 0 && getsockname(socket, $0, &size) == 0
        }
        guard isListening else { throw failure("listen", socket) }
        prepare(socket, blocks: false)
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// A connection to a listener.
    static func connection(port: UInt16) throws -> Int32 {
        let socket = socket(AF_INET, streamSocket, 0)
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard withAddress(&address, { connect(socket, $0, size) }) == 0 else { throw failure("connect", socket) }
        prepare(socket, blocks: true)
        return socket
    }

    static func prepare(_ socket: Int32, blocks: Bool) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        let flags = fcntl(socket, F_GETFL)
        _ = fcntl(socket, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // Chunks must be sent when they are written.
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
        #endif
    }

    /// Appends the received bytes.
    ///
    /// Returns false at the end.
    static func receive(from socket: Int32, _ buffer: inout Data) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { bytes in
            var count = -1
            repeat { count = recv(socket, bytes.baseAddress, bytes.count, 0) } while count < 0 && errno == EINTR
            if count > 0 { buffer.append(contentsOf: bytes[..<count]) }
            return count > 0
        }
    }

    /// Sends all bytes.
    ///
    /// Returns false when the peer accepts no more.
    @discardableResult
    static func send(_ bytes: Data, to socket: Int32) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(socket, part.baseAddress, part.count, flags)
                if count < 0 && errno != EINTR { return false }
                rest = rest.dropFirst(max(count, 0))
            }
            return true
        }
    }

    private static func failure(_ call: String, _ socket: Int32) -> Failure {
        let failure = Failure(call: call)
        close(socket)
        return failure
    }

    private static func withAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }
}
