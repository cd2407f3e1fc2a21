import Foundation
@testable import TestSupport

/// What a server answers to a request, and how well it keeps to the protocol.
enum HTTPResponse: Sendable {
    case message(Message)
    /// Bytes as they are, and then the end of the connection, or silence.
    case raw(Data, closes: Bool)
    /// What the test decides later.
    case late(LateResponse)

    /// A response with a head.
    struct Message: Sendable {
        var status = 200
        var headers: HTTPHeaders = [:]
        var framing = Framing.chunked
        var body: Body
    }

    /// How the client learns where the body ends.
    enum Framing: Sendable, Equatable {
        case contentLength(Int)
        case chunked
        /// By the end of the connection.
        case close
    }

    enum Body: Sendable {
        case data(Data)
        /// So many bytes of `HTTPPattern`, or bytes for ever, as fast as the socket takes them.
        case pattern(count: Int?)
        /// What the test writes.
        case writer(BodyWriter)
    }
}

extension HTTPResponse {
    /// A whole response, with its length.
    static func fixed(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) -> HTTPResponse {
        .message(Message(status: status, headers: headers, framing: .contentLength(body.count), body: .data(body)))
    }

    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        .fixed(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// The head at once, then what the test writes.
    static func written(
        by writer: BodyWriter, status: Int = 200, headers: HTTPHeaders = [:], framing: Framing = .chunked
    ) -> HTTPResponse {
        .message(Message(status: status, headers: headers, framing: framing, body: .writer(writer)))
    }

    /// So many bytes of `HTTPPattern`, never more of them in memory than the socket takes.
    static func pattern(count: Int, chunked: Bool = false) -> HTTPResponse {
        .message(Message(framing: chunked ? .chunked : .contentLength(count), body: .pattern(count: count)))
    }

    /// Bytes of `HTTPPattern` for ever, as fast as the socket takes them.
    static var endless: HTTPResponse { .message(Message(body: .pattern(count: nil))) }

    /// Fewer bytes than the head declares, and then the end of the connection.
    static func brokenOff(declaring length: Int, sending body: Data) -> HTTPResponse {
        .message(Message(framing: .contentLength(length), body: .data(body)))
    }

    /// Half of a head, and then the end of the connection.
    ///
    /// Not for FoundationNetworking's sessions, which then end the program: "Transfer completed, but there's no
    /// response".
    static var brokenOffInHead: HTTPResponse { .raw(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8), closes: true) }

    /// The head of a response, and then nothing.
    static var headOnly: HTTPResponse { .written(by: BodyWriter(), framing: .contentLength(1)) }

    /// Nothing at all.
    static var silence: HTTPResponse { .raw(Data(), closes: false) }

    /// The end of the connection, and nothing else.
    static var hangUp: HTTPResponse { .raw(Data(), closes: true) }

    static func redirect(to location: String, status: Int = 302) -> HTTPResponse {
        .fixed(status: status, headers: ["Location": location])
    }

    /// The body of the request, its method as `Echo-Method`, and each of its headers with `Echo-` before the name.
    static func echo(_ request: HTTPRequest) -> HTTPResponse {
        var headers: HTTPHeaders = ["Echo-Method": request.method]
        request.headers.fields.forEach { headers.add("Echo-" + $0.name, $0.value) }
        return .fixed(headers: headers, body: request.body)
    }
}
