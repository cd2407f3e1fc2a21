#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// On Linux a task that is cancelled while it waits for the cache ends the program.
@Suite(.watchdog) struct CachelessTests {
    private let cache = CountingCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)

    private func load(_ load: (URLSession, HTTPServer) -> Future<Void>) async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        configuration.urlCache = cache
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        try await load(session, server).value
    }

    @Test func `the cache is asked where nothing can be cancelled`() async throws {
        try await load { $0.data(from: $1.url("/"), cancelToken: .none).asVoid() }
        #expect(cache.count > 0)
    }

    @Test func `the cache is not asked for what a token may cancel`() async throws {
        let token = CancelToken()
        try await load { $0.data(from: $1.url("/"), cancelToken: token).asVoid() }
        try await load { $0.upload(for: $1.request("/", method: "PUT"), from: Data(), cancelToken: token).asVoid() }
        try await load { $0.body(for: $1.request("/"), capacity: 0, cancelToken: token).asVoid() }
        try await load { $0.body(for: $1.request("/"), capacity: 0).asVoid() }
        #expect(cache.count == 0)
    }
}

/// Has nothing, and counts those who ask.
private final class CountingCache: URLCache, @unchecked Sendable {
    // Sendable as its superclass is; what it adds is under a lock.
    private let asked = Lock(0)

    var count: Int { asked.withLock { $0 } }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        asked.withLock { $0 += 1 }
        return nil
    }
}
#endif
