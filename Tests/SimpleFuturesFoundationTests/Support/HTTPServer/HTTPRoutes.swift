@testable import TestSupport

/// Answers a request, on the server's one queue, which it must not block.
typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPResponse

/// What becomes of the requests for a path.
struct HTTPRoute: Sendable {
    var uploads = HTTPUploads.kept
    let handler: HTTPHandler
}

/// What becomes of which requests.
struct HTTPRoutes: Sendable {
    var byPath: [String: HTTPRoute] = [:]
    var other = HTTPRoute { .text("There is nothing at \($0.target).", status: 404) }

    subscript(path: String) -> HTTPRoute { byPath[path] ?? other }
}
