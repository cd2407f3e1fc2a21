import Foundation
import SimpleFutures

#if canImport(FoundationNetworking)
import FoundationNetworking

extension URLSession {
    /// The session whose tasks may be cancelled at any time.
    ///
    /// FoundationNetworking (Swift 6.3.1) ends the program when a task is cancelled that waits for the answer of its
    /// session's cache, which is soon after its beginning: "Trying to access a behaviour for a task that in not in the
    /// registry". So what a token may cancel is loaded by a second session like this one, without a cache.
    func cancellable(by token: CancelToken) -> URLSession {
        // A subclass is a stand-in for tests, and makes tasks of its own.
        guard token != .none, type(of: self) == URLSession.self, configuration.urlCache != nil else { return self }
        // Those that are not needed any more are released out of the lock, and their delegates with them.
        return Self.cacheless.withLock { ($0.removeUnneeded(), $0.session(for: self)) }.1
    }

    private static let cacheless = Lock(CachelessSessions())

    /// A session like this one, but without a cache.
    func makeCacheless(delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?) -> URLSession {
        let configuration = configuration
        configuration.urlCache = nil
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }
}

/// The second sessions, as long as there are the first ones.
private struct CachelessSessions {
    private struct Pair {
        weak var original: URLSession?
        let cacheless: URLSession
    }

    private var pairs: [ObjectIdentifier: Pair] = [:]

    mutating func session(for original: URLSession) -> URLSession {
        if let pair = pairs[ObjectIdentifier(original)], pair.original === original { return pair.cacheless }
        let cacheless = original.makeCacheless(delegate: original.delegate, delegateQueue: original.delegateQueue)
        pairs[ObjectIdentifier(original)] = Pair(original: original, cacheless: cacheless)
        return cacheless
    }

    mutating func removeUnneeded() -> [URLSession] {
        let unneeded = pairs.filter { $0.value.original == nil }
        for id in unneeded.keys { pairs[id] = nil }
        return unneeded.values.map { $0.cacheless }
    }
}
#else
extension URLSession {
    /// The session whose tasks may be cancelled at any time.
    func cancellable(by token: CancelToken) -> URLSession { self }
}
#endif
