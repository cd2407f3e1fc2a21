import Foundation
@testable import TestSupport

/// Takes requests out of the bytes that a connection brings, in whatever pieces.
struct HTTPRequestParser {
    enum Event {
        /// There is no more to say before more bytes come.
        case more
        /// The head is complete. Whether the client waits for the consent to send the body.
        case head(HTTPRequest, expectsContinue: Bool)
        /// Bytes of the body.
        case body(Data)
        case end
        case malformed(String)
    }

    private enum State {
        case head
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailer
    }

    private static let longestHead = 65_536

    private var state = State.head
    private var buffer = Data()

    /// Whether no byte of a request has come.
    var isIdle: Bool {
        if case .head = state { buffer.isEmpty } else { false }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(contentsOf: bytes)
    }

    /// What the bytes say next; after `malformed` there is nothing to be had.
    mutating func next() -> Event {
        do throws(Malformed) {
            switch state {
            case .head: return try head()
            case .body(let remaining): return body(remaining)
            case .chunkSize: return try chunkSize()
            case .chunk(let remaining): return chunk(remaining)
            case .chunkEnd:
                guard let line = try line() else { return .more }
                guard line.isEmpty else { throw Malformed("no line end after a chunk") }
                state = .chunkSize
                return next()
            case .trailer:
                guard let line = try line() else { return .more }
                if line.isEmpty { state = .head }
                return line.isEmpty ? .end : next()
            }
        } catch {
            return .malformed(error.reason)
        }
    }

    private mutating func head() throws(Malformed) -> Event {
        guard let end = buffer.range(of: Data("\r\n\r\n".utf8)) else {
            guard buffer.count <= Self.longestHead else { throw Malformed("the head is too long") }
            return .more
        }
        let request = try HTTPRequest(head: buffer[..<end.lowerBound])
        state = try request.isChunked() ? .chunkSize : .body(remaining: request.contentLength())
        drop(through: end.upperBound)
        let expectsContinue = request.headers["Expect"]?.lowercased() == "100-continue"
        return .head(request, expectsContinue: expectsContinue)
    }

    private mutating func body(_ remaining: Int) -> Event {
        if remaining == 0 {
            state = .head
            return .end
        }
        guard let bytes = take(atMost: remaining) else { return .more }
        state = .body(remaining: remaining - bytes.count)
        return .body(bytes)
    }

    private mutating func chunk(_ remaining: Int) -> Event {
        guard let bytes = take(atMost: remaining) else { return .more }
        state = bytes.count == remaining ? .chunkEnd : .chunk(remaining: remaining - bytes.count)
        return .body(bytes)
    }

    private mutating func chunkSize() throws(Malformed) -> Event {
        guard let line = try line() else { return .more }
        let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard let size = Int(digits, radix: 16), size >= 0 else { throw Malformed("chunk size: \(line)") }
        state = size == 0 ? .trailer : .chunk(remaining: size)
        return next()
    }

    private mutating func line() throws(Malformed) -> String? {
        guard let end = buffer.range(of: Data("\r\n".utf8)) else {
            guard buffer.count <= Self.longestHead else { throw Malformed("a line is too long") }
            return nil
        }
        defer { drop(through: end.upperBound) }
        return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
    }

    private mutating func take(atMost count: Int) -> Data? {
        guard !buffer.isEmpty else { return nil }
        let bytes = buffer.prefix(count)
        drop(through: bytes.endIndex)
        return bytes
    }

    private mutating func drop(through end: Data.Index) {
        buffer = Data(buffer[end...])
    }
}
