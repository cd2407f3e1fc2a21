import Dispatch
import Foundation
@testable import TestSupport

/// A client that says what the test says, and no more.
///
/// Sendable because the descriptor is constant, and is closed once the last who could use it has let go of the client.
final class RawClient: @unchecked Sendable {
    private let socket: Int32

    init(_ server: HTTPServer) throws {
        socket = try Sockets.connection(port: server.port)
        // A watchdog: no test is to wait that long.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Sends a text, whose lines end as HTTP wants it.
    func send(_ text: String) async throws {
        try await send(Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8))
    }

    func send(_ data: Data) async throws {
        try await onThread { [socket] in
            var rest = data
            while !rest.isEmpty {
                guard case .bytes(let count) = rest.withUnsafeBytes({ Sockets.send($0, to: socket) }) else {
                    throw Sockets.Failure(call: "send")
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Receives until the text ends as given, or the server closes; lines end as those of Swift.
    func receive(through end: String) async throws -> String {
        let end = Data(end.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        let data = try await receive { $0.suffix(end.count) == end }
        return String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }

    /// Receives a head, and nothing of what comes after it.
    func receiveHead() async throws -> String {
        let data = try await receive(atATime: 1) { $0.suffix(4) == Data("\r\n\r\n".utf8) }
        return String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }

    /// Receives until the server closes.
    func receiveToEnd() async throws -> String {
        let data = try await receive { _ in false }
        return String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }

    /// Receives so many bytes, and hands them over piece by piece.
    func receive(count: Int, each: @escaping @Sendable (Data) -> Void) async throws {
        var rest = count
        while rest > 0 {
            let data = try await receive(atMost: min(rest, 1_048_576)) { !$0.isEmpty }
            guard !data.isEmpty else { throw Sockets.Failure(call: "recv") }
            each(data)
            rest -= data.count
        }
    }

    /// Has the end of the client be a reset.
    func resetWhenReleased() { Sockets.resetWhenClosed(socket) }

    private func receive(
        atMost limit: Int = .max, atATime step: Int = 65_536, until isEnough: @escaping @Sendable (Data) -> Bool
    ) async throws -> Data {
        try await onThread { [socket] in
            var data = Data()
            while !isEnough(data) {
                let result = withUnsafeTemporaryAllocation(byteCount: min(limit - data.count, step), alignment: 1) {
                    let result = Sockets.receive(from: socket, into: $0)
                    if case .bytes(let count) = result { data.append(contentsOf: $0[..<count]) }
                    return result
                }
                switch result {
                case .bytes: continue
                case .closed(nil): return data
                case .closed, .wouldBlock: throw Sockets.Failure(call: "recv")
                }
            }
            return data
        }
    }

    /// Runs a block on a thread of Dispatch's, where blocking harms nobody.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            DispatchQueue.global().async { done.resume(with: Result(catching: body)) }
        }
    }
}
