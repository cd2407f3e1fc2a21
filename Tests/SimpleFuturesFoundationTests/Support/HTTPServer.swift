import Dispatch
import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP/1.1 server on the loopback interface, for tests of clients.
///
/// It responds as a test specifies, records the actions of clients, and stops when it is released.
final class HTTPServer: @unchecked Sendable {
    // Sendable: everything is constant, and any thread may cancel a Dispatch source.

    /// Responds to a request, on a thread of the connection.
    typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    /// The actions of clients so far.
    ///
    /// The connections share them, and do not hold the server, which the test releases.
    struct Records: Sendable {
        fileprivate(set) var requests: [HTTPRequest] = []
        fileprivate(set) var clientCloses = 0
        /// The number of bytes that the sockets have accepted.
        fileprivate(set) var bodyBytesSent = 0
        fileprivate var connections: [ObjectIdentifier: HTTPConnection] = [:]

        var openConnections: Int { connections.count }
    }

    let port: UInt16
    private let state = Lock(Records())
    private let listener: any DispatchSourceRead
    /// Left when the listening socket is closed.
    private let listening = DispatchGroup()

    init(_ handler: @escaping Handler) {
        let (socket, port) = Sockets.listener()
        self.port = port
        listener = DispatchSource.makeReadSource(
            fileDescriptor: socket.number, queue: DispatchQueue(label: "HTTPServer"))
        listener.setEventHandler { [state] in
            let descriptor = accept(socket.number, nil, nil)
            if descriptor >= 0 { HTTPConnection(Descriptor(owning: descriptor), state, handler).start() }
        }
        listening.enter()
        listener.setCancelHandler { [listening] in
            socket.close()
            listening.leave()
        }
        listener.activate()
    }

    deinit { stop() }

    /// Closes all connections, and refuses new ones from then on.
    func stop() {
        listener.cancel()
        listening.wait()
        for connection in records.connections.values { connection.hangUp() }
    }

    func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    func request(_ path: String = "/", method: String = "GET") -> URLRequest {
        var request = URLRequest(url: url(path))
        request.httpMethod = method
        return request
    }

    // MARK: The actions of clients

    var records: Records { state.withLock { $0 } }

    func waitUntil(_ condition: (Records) -> Bool) async throws {
        await until { Task.isCancelled || condition(records) }
        try Task.checkCancellation()
    }

    func waitForRequest() async throws { try await waitUntil { !$0.requests.isEmpty } }

    func waitForClientClose(_ count: Int = 1) async throws { try await waitUntil { $0.clientCloses >= count } }
}

/// One connection: a thread reads from it up to its end, and a queue sends the responses.
private final class HTTPConnection: Sendable {
    // Closed when it is released and not earlier, because the number could then belong to another file.
    private let socket: Descriptor
    private let server: Lock<HTTPServer.Records>
    private let handler: HTTPServer.Handler
    private let sending = DispatchQueue(label: "HTTPConnection")
    private let hasHungUp = Box(false)

    init(_ socket: Descriptor, _ server: Lock<HTTPServer.Records>, _ handler: @escaping HTTPServer.Handler) {
        (self.socket, self.server, self.handler) = (socket, server, handler)
        Sockets.prepare(socket)
    }

    func start() {
        server.withLock { $0.connections[ObjectIdentifier(self)] = self }
        Thread.detachNewThread {
            self.read()
            self.end()
        }
    }

    func hangUp() {
        hasHungUp.value = true
        shutdown(socket.number, Int32(SHUT_RDWR))
    }

    // MARK: On the connection's thread

    private func read() {
        var buffer = Data()
        while let request = nextRequest(&buffer) {
            server.withLock { $0.requests.append(request) }
            let response = handler(request)
            sending.async { self.send(response) }
        }
    }

    /// Returns nil when the connection has ended, or the request is malformed.
    private func nextRequest(_ buffer: inout Data) -> HTTPRequest? {
        while true {
            guard let end = buffer.range(of: Data("\r\n\r\n".utf8)) else {
                guard receive(&buffer) else { return nil }
                continue
            }
            guard var request = HTTPRequest(head: buffer[..<end.lowerBound]) else {
                hangUp()
                return nil
            }
            buffer = Data(buffer[end.upperBound...])
            if request.expectsContinue { Sockets.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: socket) }
            while buffer.count < request.contentLength {
                guard receive(&buffer) else { return nil }
            }
            request.body = buffer.prefix(request.contentLength)
            buffer = Data(buffer.dropFirst(request.contentLength))
            return request
        }
    }

    /// Returns false at the end.
    private func receive(_ buffer: inout Data) -> Bool {
        guard case .bytes(let bytes) = socket.read(upTo: 65_536) else { return false }
        buffer.append(bytes)
        return true
    }

    private func end() {
        // Ends a response that waits for the socket.
        shutdown(socket.number, Int32(SHUT_RDWR))
        let isClosedByClient = !hasHungUp.value
        server.withLock { server in
            server.connections[ObjectIdentifier(self)] = nil
            if isClosedByClient { server.clientCloses += 1 }
        }
    }

    // MARK: On the connection's queue

    private func send(_ response: HTTPResponse) {
        if let head = response.head { Sockets.send(head, to: socket) }
        switch response {
        case .fixed(_, _, let body): sendBody(body)
        case .brokenOff(_, let text):
            sendBody(Data(text.utf8))
            hangUp()
        case .pattern(let count, _, let afterPiece):
            var sent = 0
            while sent < count {
                let bytes = HTTPPattern.bytes(at: sent, atMost: count - sent)
                guard sendBody(bytes) else { return }
                sent += bytes.count
                afterPiece(sent)
            }
        case .written(let writer, _):
            // The thread keeps the connection until it ends. The handler, which the connection keeps, may keep the
            // writer.
            writer.attach { [weak self] chunk in
                guard let self else { return }
                sending.async { self.sendBody(chunk, isChunked: true) }
            }
        case .silence: break
        case .hangUp: hangUp()
        }
    }

    /// Returns false when the client accepts no more bytes.
    @discardableResult
    private func sendBody(_ bytes: Data, isChunked: Bool = false) -> Bool {
        let (head, tail) = isChunked ? ("\(String(bytes.count, radix: 16))\r\n", "\r\n") : ("", "")
        guard Sockets.send(Data(head.utf8) + bytes + Data(tail.utf8), to: socket) else { return false }
        server.withLock { $0.bodyBytesSent += bytes.count }
        return true
    }
}

/// The few socket calls, the same on Linux and on Apple's systems.
private enum Sockets {
    /// Creates a socket that listens on a free port of the loopback interface.
    static func listener() -> (socket: Descriptor, port: UInt16) {
        let socket = Descriptor(owning: socket(AF_INET, streamSocket, 0))
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        #if canImport(Darwin)
        address.sin_len = UInt8(size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.number, $0, size) == 0 && listen(socket.number, 1024) == 0
                    && getsockname(socket.number, $0, &size) == 0
            }
        }
        precondition(isListening, "\(POSIXError.last)")
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// Sends chunks when they are written, and no SIGPIPE for a closed peer.
    static func prepare(_ socket: Descriptor) {
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        #if canImport(Darwin)
        setsockopt(socket.number, SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
        #endif
    }

    /// Returns false when the peer accepts no more.
    @discardableResult
    static func send(_ bytes: Data, to socket: Descriptor) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(socket.number, part.baseAddress, part.count, flags)
                if count < 0 && errno != EINTR { return false }
                rest = rest.dropFirst(max(count, 0))
            }
            return true
        }
    }
}
