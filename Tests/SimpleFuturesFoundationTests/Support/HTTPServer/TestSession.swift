import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

/// How long a session waits for the next byte, in seconds: longer than any test may take.
///
/// A minute, which is the default, is not enough where two thousand tests share two processors under a sanitizer.
let patience: TimeInterval = 3_600

extension URLSession {
    /// A session without a cache, for as long as the body runs.
    ///
    /// With a cache, FoundationNetworking ends the program when a task is cancelled soon after it was resumed.
    static func with<Result>(
        connectionsPerHost: Int = 6, delegate: (any URLSessionDelegate)? = nil,
        _ body: (URLSession) async throws -> Result
    ) async throws -> Result {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        return try await body(session)
    }
}
