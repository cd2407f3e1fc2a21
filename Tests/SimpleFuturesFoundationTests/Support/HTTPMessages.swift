import Foundation
import SimpleFutures

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How long a session waits for the next byte, in seconds: longer than any test may take.
///
/// The default of a minute is not enough when two thousand tests share two processors under a sanitizer.
let patience: TimeInterval = 3_600

/// A test's own session, which closes its connections at the end.
final class TestSession: Sendable {
    let session: URLSession

    /// - Parameter cache: None by default: with a cache, FoundationNetworking ends the program when a task is canceled
    ///   soon after it was resumed.
    init(
        cache: URLCache? = nil, delegate: (any URLSessionDelegate)? = nil, protocols: [AnyClass] = []
    ) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        configuration.urlCache = cache
        configuration.httpMaximumConnectionsPerHost = 32
        configuration.protocolClasses = protocols + (configuration.protocolClasses ?? [])
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }
}

struct HTTPRequest: Sendable {
    let method: String
    /// With the query.
    let path: String
    let contentLength: Int
    let expectsContinue: Bool
    var body = Data()

    /// Parses the head without the empty line at its end.
    init?(head: Data) {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3, words[2] == "HTTP/1.1" else { return nil }
        (method, path) = (words[0], words[1])
        func header(_ name: String) -> String? {
            let line = lines.dropFirst().first { $0.lowercased().hasPrefix("\(name):") }
            return line?.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        contentLength = header("content-length").flatMap { Int($0) } ?? 0
        expectsContinue = header("expect")?.lowercased() == "100-continue"
    }
}

enum HTTPResponse: Sendable {
    /// A body with its length.
    case fixed(status: Int = 200, headers: [String: String] = [:], body: Data = Data())
    /// Fewer bytes than the head declares, then the end of the connection.
    case brokenOff(declaring: Int, sending: String)
    /// Bytes of `HTTPPattern`, as fast as the socket accepts them.
    ///
    /// The closure is called after each 32 KB with the number of bytes sent. If it waits a little, a delegate on Linux
    /// keeps up: its session goes on reading, and would keep what the delegate has not taken.
    case pattern(count: Int, status: Int = 200, afterPiece: @Sendable (Int) -> Void = { _ in })
    /// The head at once, then the chunks that the test writes.
    case written(by: BodyWriter, status: Int = 200)
    case silence
    /// The connection is closed without a response.
    case hangUp

    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        .fixed(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    static func redirect(to location: String) -> HTTPResponse { .fixed(status: 302, headers: ["Location": location]) }

    var head: Data? {
        switch self {
        case .fixed(let status, var headers, let body):
            if status != 204 { headers["Content-Length"] = "\(body.count)" }
            return Self.head(status, headers)
        case .brokenOff(let length, _): return Self.head(200, ["Content-Length": "\(length)"])
        case .pattern(let count, let status, _): return Self.head(status, ["Content-Length": "\(count)"])
        case .written(_, let status): return Self.head(status, ["Transfer-Encoding": "chunked"])
        case .silence, .hangUp: return nil
        }
    }

    private static func head(_ status: Int, _ headers: [String: String]) -> Data {
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }
        return Data("HTTP/1.1 \(status) Status\r\n\(lines.joined())\r\n".utf8)
    }
}

/// The body of one response, written chunk by chunk by a test.
///
/// It accepts chunks from any thread, even before there is a request; each is sent as soon as the socket accepts it.
final class BodyWriter: Sendable {
    private struct State {
        /// Chunks that are not sent yet; an empty one is the end.
        var kept: [Data] = []
        var send: (@Sendable (Data) -> Void)?
    }

    private let state = Lock(State())

    init(_ texts: String...) { texts.forEach(write) }

    func write(_ text: String) {
        state.withLock { state in
            if let send = state.send { send(Data(text.utf8)) } else { state.kept.append(Data(text.utf8)) }
        }
    }

    func finish() { write("") }

    /// Sets the closure that sends the chunks.
    ///
    /// It is called in order and must only pass them on.
    func attach(_ send: @escaping @Sendable (Data) -> Void) {
        state.withLock { state in
            state.send = send
            state.kept.forEach(send)
            state.kept = []
        }
    }
}

/// The bytes of generated bodies: a pseudorandom sequence that repeats.
///
/// The period is a prime, so a body that starts again or has a gap does not match, unless that happens at a multiple of
/// the period.
enum HTTPPattern {
    private static let period = 65_521

    private static let source = {
        var state: UInt32 = 1
        return (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }()

    /// The bytes from an offset on, at most `count`; possibly fewer.
    static func bytes(at offset: Int, atMost count: Int) -> Data {
        let start = offset % period
        return Data(source[start..<min(start + count, start + 32_768, period)])
    }

    /// Whether the bytes match those at an offset.
    static func matches(_ data: Data, at offset: Int = 0) -> Bool {
        var checked = 0
        while checked < data.count {
            let expected = bytes(at: offset + checked, atMost: data.count - checked)
            guard data.dropFirst(checked).prefix(expected.count) == expected else { return false }
            checked += expected.count
        }
        return true
    }
}
