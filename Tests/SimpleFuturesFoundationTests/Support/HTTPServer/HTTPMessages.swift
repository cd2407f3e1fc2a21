import Foundation
import SimpleFutures

/// A request of a client, with its body.
struct HTTPRequest: Sendable {
    let method: String
    /// With the query.
    let path: String
    /// By their names in small letters.
    let headers: [String: String]
    var body = Data()

    /// Reads the head without the empty line at its end; nil if it is none, or has a body in chunks.
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

/// What a server answers.
enum HTTPResponse: Sendable {
    /// A body with the length that it has, or another one, after which the connection ends.
    case fixed(status: Int = 200, headers: [String: String] = [:], body: Data = Data(), declaring: Int? = nil)
    /// Bytes of `HTTPPattern`, as fast as the socket takes them, with their length or in chunks.
    case pattern(count: Int, status: Int = 200, chunked: Bool = false)
    /// The head at once, then the chunks that the test writes.
    case written(by: BodyWriter, status: Int = 200)
    /// Nothing at all.
    case silence
    /// The end of the connection, and nothing else.
    case hangUp

    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        .fixed(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    static func redirect(to location: String) -> HTTPResponse { .fixed(status: 302, headers: ["Location": location]) }

    /// Fewer bytes than the head declares, and then the end of the connection.
    static func brokenOff(declaring length: Int, sending text: String) -> HTTPResponse {
        .fixed(body: Data(text.utf8), declaring: length)
    }

    /// The head; nil for a response that has none.
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

/// The body of one response, chunk by chunk as the test writes it.
///
/// It takes chunks from any thread, also before there is a request; each is sent as soon as the socket takes it.
final class BodyWriter: Sendable {
    private struct State {
        /// What nobody takes yet; nil is the end.
        var kept: [Data?] = []
        var send: (@Sendable (Data?) -> Void)?
    }

    private let state = Lock(State())

    init(_ texts: String...) { texts.forEach(write) }

    func write(_ text: String) { add(Data(text.utf8)) }

    /// Ends the body.
    func finish() { add(nil) }

    /// Names what takes the chunks; it is called in their order and must only pass them on.
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

/// The bytes of generated bodies: so many that look random, over and over.
///
/// The period is a prime: a body that begins again, or has a gap, does not match, as that would have to be after a
/// multiple of it.
enum HTTPPattern {
    private static let period = 65_521
    private static let longestPiece = 32_768

    /// One period, and as much of the next as a piece may reach into.
    private static let source = {
        var state: UInt32 = 1
        let bytes = (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return bytes + bytes.prefix(longestPiece)
    }()

    /// The bytes from an offset on, at most so many; fewer when that is convenient.
    static func bytes(at offset: Int, atMost count: Int) -> Data {
        let start = offset % period
        return Data(source[start..<start + min(count, longestPiece)])
    }

    /// Whether the bytes are those that stand at an offset.
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
