import Foundation
import SimpleFutures

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

/// A session of a test's own, without a cache, which closes its connections in the end.
final class TestSession: Sendable {
    let session: URLSession

    init(timeout: TimeInterval = patience, delegate: (any URLSessionDelegate)? = nil) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.urlCache = nil
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
