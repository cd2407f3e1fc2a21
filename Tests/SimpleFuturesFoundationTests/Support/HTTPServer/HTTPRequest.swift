import Foundation
@testable import TestSupport

/// What a client has asked for, body included.
struct HTTPRequest: Sendable {
    let method: String
    /// What stands in the request line, query included.
    let target: String
    let version: String
    let headers: HTTPHeaders
    var body = Data()
    /// How many bytes the body has, also when they are not kept.
    var bodyCount = 0
    /// The number of the connection, counted from 0.
    var connection = 0

    /// The target without the query.
    var path: String { String(target.prefix { $0 != "?" }) }

    var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    /// Whether there is a body, after the head.
    var hasBody: Bool { headers["Transfer-Encoding"] != nil || (headers["Content-Length"] ?? "0") != "0" }

    /// Whether the client means to go on with the connection.
    var keepsAlive: Bool {
        switch headers["Connection"]?.lowercased() {
        case "close": false
        case "keep-alive": true
        default: version == "HTTP/1.1"
        }
    }
}
