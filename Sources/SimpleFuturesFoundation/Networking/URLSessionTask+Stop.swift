import Dispatch
import Foundation
import SimpleFuturesInterop

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionTask {
    /// Cancels the task without waiting for its session.
    ///
    /// On Linux `cancel()` waits for a queue that all sessions share, and that fast transfers keep busy for seconds
    /// (FoundationNetworking, Swift 6.3.1).
    func stop() {
        #if canImport(FoundationNetworking)
        DispatchQueue.global().async { self.cancel() }
        #else
        cancel()
        #endif
    }

    /// Starts the task, and returns a handle that stops it.
    func resumed() -> CancelAction {
        resume()
        return CancelAction { self.stop() }
    }
}
