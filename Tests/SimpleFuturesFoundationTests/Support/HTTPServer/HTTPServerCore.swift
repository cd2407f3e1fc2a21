import Dispatch
import Foundation
import SimpleFutures
@testable import TestSupport

/// What a server is made of.
///
/// Not the server itself, so that this one, kept by the sources of its events, does not keep a server that the test has
/// let go of.
///
/// Sendable because what is not constant is under a lock, or touched on the serial queue alone, on which the events of
/// the listener come, too; the buffer belongs to the queue as well.
final class HTTPServerCore: @unchecked Sendable {
    let queue = DispatchQueue(label: "HTTPServer")
    let recorder = HTTPRecorder()
    let routes: Lock<HTTPRoutes>
    let port: UInt16
    /// Entered once for each descriptor that is open.
    let descriptors = DispatchGroup()
    /// Where to read to.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)

    private let listener: any DispatchSourceRead
    private var connections: [Int: HTTPConnection] = [:]
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    init(_ routes: HTTPRoutes) throws {
        self.routes = Lock(routes)
        let (socket, port) = try Sockets.listener()
        self.port = port
        listener = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
        descriptors.enter()
        listener.setEventHandler { self.accept(at: socket) }
        listener.setCancelHandler { [descriptors] in
            close(socket)
            descriptors.leave()
        }
        listener.activate()
    }

    deinit { buffer.deallocate() }

    /// Returns when everything is closed, unless it is called by a handler.
    func stop() {
        if DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) {
            closeAll()
        } else {
            queue.sync { closeAll() }
            descriptors.wait()
        }
        // Handlers may well have a server of their own, or this one.
        routes.exchange(HTTPRoutes())
        recorder.stop()
    }

    func remove(_ connection: HTTPConnection) { connections[connection.id] = nil }

    func uploads(of request: HTTPRequest) -> HTTPUploads { routes.withLock { $0[request.path].uploads } }

    func response(to request: HTTPRequest) -> HTTPResponse {
        let handler = routes.withLock { $0[request.path].handler }
        return handler(request)
    }

    private func accept(at socket: Int32) {
        while let descriptor = Sockets.accept(socket) {
            let connection = HTTPConnection(descriptor, of: self)
            connections[connection.id] = connection
            connection.start()
        }
    }

    private func closeAll() {
        listener.cancel()
        connections.values.forEach { $0.close() }
    }
}
