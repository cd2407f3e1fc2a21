import Foundation
@testable import TestSupport

/// The few socket calls, alike on Linux and on Apple's systems.
///
/// Every socket is closed upon `exec`, does not block, and gives an error instead of a SIGPIPE.
enum Sockets {
    /// A call that failed, and its `errno`.
    struct Failure: Error {
        let call: String
        let code = errno
    }

    /// A socket that listens on a free port of the loopback.
    static func listener() throws -> (socket: Int32, port: UInt16) {
        let socket = try made()
        do {
            var address = loopback(port: 0)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    guard bind(socket, pointer, size) == 0 else { throw Failure(call: "bind") }
                    guard listen(socket, 1024) == 0 else { throw Failure(call: "listen") }
                    guard getsockname(socket, pointer, &size) == 0 else { throw Failure(call: "getsockname") }
                }
            }
            try prepare(socket)
            return (socket, UInt16(bigEndian: address.sin_port))
        } catch {
            close(socket)
            throw error
        }
    }

    /// The next of the connections that wait at a listener, or none.
    static func accept(_ listener: Int32) -> Int32? {
        // `accept4` would leave no moment for a child process to inherit the socket; Glibc's module does not have it.
        let socket = Foundation.accept(listener, nil, nil)
        guard socket >= 0 else { return nil }
        do {
            try prepare(socket)
            // Chunks are to leave when they are written.
            try set(TCP_NODELAY, at: Int32(IPPROTO_TCP), of: socket)
        } catch {
            close(socket)
            return nil
        }
        return socket
    }

    /// A connection to a listener on the loopback, for tests that speak for themselves; it does block.
    static func connection(port: UInt16) throws -> Int32 {
        let socket = try made()
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard result == 0 else {
            defer { close(socket) }
            throw Failure(call: "connect")
        }
        return socket
    }

    /// Has the next `close` reset the connection instead of ending it in order.
    static func resetWhenClosed(_ socket: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    private static func made() throws -> Int32 {
        #if canImport(Darwin)
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard socket >= 0 else { throw Failure(call: "socket") }
        #if canImport(Darwin)
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        try set(SO_NOSIGPIPE, at: SOL_SOCKET, of: socket)
        #endif
        return socket
    }

    private static func prepare(_ socket: Int32) throws {
        guard fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0 else { throw Failure(call: "fcntl") }
        guard fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 else { throw Failure(call: "fcntl") }
        #if canImport(Darwin)
        try set(SO_NOSIGPIPE, at: SOL_SOCKET, of: socket)
        #endif
    }

    private static func set(_ option: Int32, at level: Int32, of socket: Int32) throws {
        var yes: Int32 = 1
        let result = setsockopt(socket, level, option, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        guard result == 0 else { throw Failure(call: "setsockopt") }
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
