import Foundation
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

/// How long a session waits for the next byte, in seconds: longer than any test may take.
///
/// The default of a minute is not enough when two thousand tests share two processors under a sanitizer.
let patience: TimeInterval = 3_600

/// A test's own session, which closes its connections at the end.
final class TestSession: Sendable {
    let session: URLSession

    /// - Parameter cache: None by default: with a cache, FoundationNetworking ends the program when a task is canceled
    ///   soon after it was resumed.
    init(timeout: TimeInterval = patience, cache: URLCache? = nil, delegate: (any URLSessionDelegate)? = nil) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.urlCache = cache
        configuration.httpMaximumConnectionsPerHost = 32
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }
}

extension HTTPServer {
    func request(_ path: String, method: String = "GET") -> URLRequest {
        var request = URLRequest(url: url(path))
        request.httpMethod = method
        return request
    }
}
