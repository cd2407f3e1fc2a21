import Foundation
import SimpleFutures

#if canImport(FoundationNetworking)
import FoundationNetworking

extension URLSession {
    /// This session, whose tasks may from now on be canceled at any time: without its cache.
    ///
    /// FoundationNetworking (Swift 6.3.1) ends the program when a data or upload task is canceled that waits for the
    /// answer of its session's cache, which is soon after its beginning: "Trying to access a behaviour for a task that
    /// in not in the registry". Its `configuration` is the session's own object, not a copy as on Apple's systems, so
    /// the cache can be taken away from the session that there is. A second session would neither be invalidated with
    /// this one nor release its delegate.
    func cancellable(by token: CancelToken) -> URLSession {
        // A subclass is a stand-in for tests, and makes tasks of its own.
        guard token != .none, type(of: self) == URLSession.self else { return self }
        Self.changing.withLock { if configuration.urlCache != nil { configuration.urlCache = nil } }
        return self
    }

    private static let changing = Lock(())

    /// A session like this one, but without a cache.
    func makeCacheless(delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?) -> URLSession {
        // A copy, as it is the session's own.
        let copy = configuration.copy() as! URLSessionConfiguration
        copy.urlCache = nil
        return URLSession(configuration: copy, delegate: delegate, delegateQueue: delegateQueue)
    }
}
#else
extension URLSession {
    /// This session, whose tasks may be canceled at any time.
    func cancellable(by token: CancelToken) -> URLSession { self }
}
#endif
