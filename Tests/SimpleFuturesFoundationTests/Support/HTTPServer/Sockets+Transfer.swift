import Foundation
@testable import TestSupport

extension Sockets {
    /// What became of a transfer.
    enum Transfer {
        case bytes(Int)
        /// Nothing, for now.
        case wouldBlock
        /// The peer has closed, in order or with an error.
        case closed(error: Int32?)
    }

    static func receive(from socket: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(socket, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as much as the socket takes.
    static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Transfer {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return transfer { Foundation.send(socket, bytes.baseAddress, bytes.count, flags) }
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count > 0 { return .bytes(count) }
            if count == 0 { return .closed(error: nil) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .closed(error: errno)
            }
        }
    }
}
