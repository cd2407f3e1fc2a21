import SimpleFutures

/// The handle of a call, from before the method has returned it until the call has ended.
///
///     none ──► stored ──► done              the call has ended, or was canceled
///     none ──► done                         the call has ended, or has no handle
///     none ──► cancelledEarly ──► done
final class CallHandle: Sendable {
    private enum State {
        /// The method has not returned.
        case none
        case stored(any CancellableHandle)
        /// The token was canceled, and the method has not returned.
        case cancelledEarly
        /// The handle was canceled, or is not needed.
        case done
    }

    private let state = Lock(State.none)

    /// Stores the handle that the method has returned.
    func store(_ handle: some CancellableHandle) {
        let isCancelled = state.withLock { state in
            switch state {
            case .none:
                state = .stored(handle)
                return false
            case .cancelledEarly:
                state = .done
                return true
            case .stored, .done: return false
            }
        }
        if isCancelled { handle.cancel() }
    }

    /// Called when the token is canceled before the call has ended.
    func cancel() {
        let handle = state.withLock { state -> (any CancellableHandle)? in
            switch state {
            case .none:
                state = .cancelledEarly
                return nil
            case .stored(let handle):
                state = .done
                return handle
            case .cancelledEarly, .done: return nil
            }
        }
        handle?.cancel()
    }

    /// Called when the call has ended.
    func end() {
        _ = state.exchange(.done)
    }
}
