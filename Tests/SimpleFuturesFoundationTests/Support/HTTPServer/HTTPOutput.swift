import Foundation
@testable import TestSupport

/// Bytes to send, and which of them are of the body.
struct HTTPPiece: Sendable {
    var bytes: Data
    /// Counted from the first byte.
    var body: Range<Int>

    init(head: Data) { (bytes, body) = (head, 0..<0) }

    init(body: Data) { (bytes, self.body) = (body, 0..<body.count) }

    /// The same, as a chunk.
    var chunked: HTTPPiece {
        let head = Data((String(body.count, radix: 16) + "\r\n").utf8)
        var piece = HTTPPiece(head: head + bytes + Data("\r\n".utf8))
        piece.body = head.count..<head.count + bytes.count
        return piece
    }
}

/// What is to be done next for a response.
enum HTTPStep: Sendable {
    case piece(HTTPPiece)
    /// Nothing, until the test has written.
    case wait
    case end
    /// The end of the connection.
    case breakOff(resetting: Bool)
}

/// Makes the bytes of a response, as they are asked for.
struct HTTPOutput {
    private indirect enum State {
        case bytes(Data, then: State)
        case body(HTTPResponse.Message)
        case ended(HTTPStep)
    }

    private var state: State
    private var bodyCount = 0

    init(_ message: HTTPResponse.Message, to request: HTTPRequest?) {
        let hasBody = request?.method != "HEAD" && message.status != 204 && message.status != 304
        state = .bytes(message.head, then: hasBody ? .body(message) : .ended(.end))
    }

    /// Bytes as they are, and then the end of the connection, or silence.
    init(raw bytes: Data, closes: Bool) {
        state = .bytes(bytes, then: .ended(closes ? .breakOff(resetting: false) : .wait))
    }

    mutating func next() -> HTTPStep {
        switch state {
        case .bytes(let bytes, let then):
            state = then
            return bytes.isEmpty ? next() : .piece(HTTPPiece(head: bytes))
        case .body(let message): return next(of: message)
        case .ended(let step): return step
        }
    }

    private mutating func next(of message: HTTPResponse.Message) -> HTTPStep {
        switch message.body.next(at: bodyCount) {
        case .piece(let piece):
            bodyCount += piece.bytes.count
            return .piece(message.framing == .chunked ? piece.chunked : piece)
        case .end:
            switch message.framing {
            case .chunked: state = .bytes(Data("0\r\n\r\n".utf8), then: .ended(.end))
            case .contentLength(bodyCount): state = .ended(.end)
            case .contentLength, .close: state = .ended(.breakOff(resetting: false))
            }
            return next()
        case let step: return step
        }
    }
}

extension HTTPResponse.Body {
    /// What comes after so many bytes.
    fileprivate func next(at count: Int) -> HTTPStep {
        switch self {
        case .data(let data): return count < data.count ? .piece(HTTPPiece(body: data)) : .end
        case .pattern(let total):
            let bytes = HTTPPattern.bytes(at: count, atMost: (total ?? .max) - count)
            return bytes.isEmpty ? .end : .piece(HTTPPiece(body: bytes))
        case .writer(let writer): return writer.next()
        }
    }
}

extension HTTPResponse.Message {
    fileprivate var head: Data {
        var headers = headers
        switch framing {
        case .contentLength(let length): if status != 204 { headers["Content-Length"] = String(length) }
        case .chunked: headers["Transfer-Encoding"] = "chunked"
        case .close: headers["Connection"] = "close"
        }
        let lines = headers.fields.map { "\($0.name): \($0.value)\r\n" }
        return Data("HTTP/1.1 \(status) Status\r\n\(lines.joined())\r\n".utf8)
    }
}
