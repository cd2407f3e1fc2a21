import Foundation
@testable import TestSupport

/// Why bytes are no request.
struct Malformed: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension HTTPRequest {
    /// Reads the head, without the empty line at its end.
    init(head: Data) throws(Malformed) {
        guard let text = String(data: head, encoding: .utf8) else { throw Malformed("not UTF-8") }
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else {
            throw Malformed("request line: \(lines[0])")
        }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
                throw Malformed("header: \(line)")
            }
            headers.add(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        self.init(method: words[0], target: words[1], version: words[2], headers: headers)
    }

    func isChunked() throws(Malformed) -> Bool {
        guard let encoding = headers["Transfer-Encoding"] else { return false }
        guard encoding.lowercased() == "chunked" else { throw Malformed("transfer encoding: \(encoding)") }
        return true
    }

    func contentLength() throws(Malformed) -> Int {
        guard let text = headers["Content-Length"] else { return 0 }
        guard let length = Int(text), length >= 0 else { throw Malformed("content length: \(text)") }
        return length
    }
}
