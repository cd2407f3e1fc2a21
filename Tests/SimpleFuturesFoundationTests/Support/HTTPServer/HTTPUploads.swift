import SimpleFutures
@testable import TestSupport

/// What a route does with the bodies of requests.
enum HTTPUploads: Sendable {
    /// Keeps them, for the handler and for the records.
    case kept
    /// Counts their bytes, and keeps none.
    case counted
    /// Lets them wait in the sockets, so that clients that have more than these take cannot go on, until the gate is
    /// open.
    ///
    /// Then it keeps them. A client that closes before is seen to have closed after that.
    case held(UploadGate)
    /// Answers when the head has come, without reading the body, and then closes.
    case ignored
}

/// Holds uploads until it is opened.
final class UploadGate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    init() {}

    /// Lets the uploads pass, those that wait and those that will come.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        waiters.forEach { $0() }
    }

    /// Calls when the gate is open.
    func pass(_ waiter: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(waiter) }
            return state.isOpen
        }
        if isOpen { waiter() }
    }
}
