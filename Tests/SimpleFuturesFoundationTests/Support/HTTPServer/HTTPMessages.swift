import Foundation
import SimpleFutures

/// A request of a client, with its body.
struct HTTPRequest: Sendable {
    let method: String
    /// With the query.
    let path: String
    /// By their lowercase names.
    let headers: [String: String]
    var body = Data()

    /// Parses the head without the empty line at its end.
    ///
    /// Returns nil if it is invalid or has a chunked body.
    init?(head: Data) {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3, words[1].hasPrefix("/"), words[2] == "HTTP/1.1" else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        guard headers["transfer-encoding"] == nil, Int(headers["content-length"] ?? "0") != nil else { return nil }
        (method, path, self.headers) = (words[0], words[1], headers)
    }

    var contentLength: Int { headers["content-length"].flatMap { Int($0) } ?? 0 }

    func has(_ header: String, _ value: String) -> Bool { headers[header]?.lowercased() == value }
}

/// The response of a server.
enum HTTPResponse: Sendable {
    /// A body with its length, or with another length, after which the connection ends.
    case fixed(status: Int = 200, headers: [String: String] = [:], body: Data = Data(), declaring: Int? = nil)
    /// Bytes of `HTTPPattern`, as fast as the socket accepts them, with their length or chunked.
    case pattern(count: Int, status: Int = 200, chunked: Bool = false)
    /// The head at once, then the chunks that the test writes.
    case written(by: BodyWriter, status: Int = 200)
    /// No response.
    case silence
    /// The connection is closed without a response.
    case hangUp

    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        .fixed(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    static func redirect(to location: String) -> HTTPResponse { .fixed(status: 302, headers: ["Location": location]) }

    /// Fewer bytes than the head declares, then the end of the connection.
    static func brokenOff(declaring length: Int, sending text: String) -> HTTPResponse {
        .fixed(body: Data(text.utf8), declaring: length)
    }

    /// The head; nil if the response has none.
    var head: Data? {
        switch self {
        case .fixed(let status, var headers, let body, let length):
            if status != 204 { headers["Content-Length"] = "\(length ?? body.count)" }
            return Self.head(status, headers)
        case .pattern(let count, let status, false): return Self.head(status, ["Content-Length": "\(count)"])
        case .pattern(_, let status, true), .written(_, let status):
            return Self.head(status, ["Transfer-Encoding": "chunked"])
        case .silence, .hangUp: return nil
        }
    }

    private static func head(_ status: Int, _ headers: [String: String]) -> Data {
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
        return Data("HTTP/1.1 \(status) Status\r\n\(lines.joined())\r\n".utf8)
    }
}

/// The body of one response, written chunk by chunk by a test.
///
/// It accepts chunks from any thread, even before there is a request; each is sent as soon as the socket accepts it.
final class BodyWriter: Sendable {
    private struct State {
        /// Chunks that are not sent yet; nil is the end.
        var kept: [Data?] = []
        var send: (@Sendable (Data?) -> Void)?
    }

    private let state = Lock(State())

    init(_ texts: String...) { texts.forEach(write) }

    func write(_ text: String) { add(Data(text.utf8)) }

    /// Ends the body.
    func finish() { add(nil) }

    /// Sets the closure that sends the chunks.
    ///
    /// It is called in order and must only pass them on.
    func attach(_ send: @escaping @Sendable (Data?) -> Void) {
        state.withLock { state in
            state.send = send
            state.kept.forEach(send)
            state.kept = []
        }
    }

    private func add(_ chunk: Data?) {
        state.withLock { state in
            if let send = state.send { send(chunk) } else { state.kept.append(chunk) }
        }
    }
}

/// The bytes of generated bodies: a pseudorandom sequence that repeats.
///
/// The period is a prime, so a body that starts again or has a gap does not match, unless that happens at a multiple of
/// the period.
enum HTTPPattern {
    private static let period = 65_521
    private static let longestPiece = 32_768

    /// One period, and as much of the next as a piece may need.
    private static let source = {
        var state: UInt32 = 1
        let bytes = (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return bytes + bytes.prefix(longestPiece)
    }()

    /// The bytes from an offset on, at most `count`; possibly fewer.
    static func bytes(at offset: Int, atMost count: Int) -> Data {
        let start = offset % period
        return Data(source[start..<start + min(count, longestPiece)])
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
