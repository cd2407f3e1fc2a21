import Foundation
import SimpleFutures

#if canImport(FoundationNetworking)
import FoundationNetworking

extension URLSession {
    /// Returns this session, prepared for tasks that may be canceled at any time: without its cache.
    ///
    /// FoundationNetworking (Swift 6.3.1) ends the program when a data or upload task is canceled while it waits for
    /// its session's cache, soon after its start: "Trying to access a behaviour for a task that in not in the
    /// registry". Its `configuration` is the session's own object, not a copy as on Apple's systems, so the cache can
    /// be removed from the existing session. A second session would not be invalidated with this one, and would not
    /// release its delegate.
    func cancellable(by token: CancelToken) -> URLSession {
        // A subclass is a test double, and creates its own tasks.
        guard token != .none, type(of: self) == URLSession.self else { return self }
        Self.changing.withLock { if configuration.urlCache != nil { configuration.urlCache = nil } }
        return self
    }

    private static let changing = Lock(())

    /// A session like this one, but without a cache.
    func makeCacheless(delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?) -> URLSession {
        // A copy, because the object belongs to the session.
        let copy = configuration.copy() as! URLSessionConfiguration
        copy.urlCache = nil
        return URLSession(configuration: copy, delegate: delegate, delegateQueue: delegateQueue)
    }
}
#else
extension URLSession {
    /// Returns this session, whose tasks may be canceled at any time.
    func cancellable(by token: CancelToken) -> URLSession { self }
}
#endif
