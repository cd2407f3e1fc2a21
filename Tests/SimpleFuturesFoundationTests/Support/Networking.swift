import Foundation
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

/// How long a session waits for the next byte, in seconds: longer than any test may take.
///
/// A minute, which is the default, is not enough where two thousand tests share two processors under a sanitizer.
let patience: TimeInterval = 3_600

/// A session of a test's own, which closes its connections in the end.
final class TestSession: Sendable {
    let session: URLSession

    /// - Parameter cache: None by default: with one, FoundationNetworking ends the program when a task is cancelled soon
    ///   after it was resumed.
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
