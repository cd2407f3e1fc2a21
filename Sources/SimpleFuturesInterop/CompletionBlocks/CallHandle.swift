import Dispatch
import SimpleFutures

/// The handle of a call, from before the method has returned it until the call has ended.
///
///     none ──► stored ──► done              the call has ended, or was canceled
///     none ──► done                         the call has ended
///     none ──► cancelledEarly ──► done      the handle comes later, and is canceled then
final class CallHandle: _LockedObject, @unchecked Sendable {
    // Sendable: the state is accessed only under the lock. The status byte is 1 once the waiting task was canceled,
    // even if the call has no handle.

    private enum State {
        /// The method has not returned.
        case none
        case stored(any CancellableHandle)
        /// The call was canceled before the method has returned a handle.
        case cancelledEarly
        /// The handle was canceled, or is not needed.
        case done
    }

    @exclusivity(unchecked) private var state = State.none

    init() { super.init() }

    /// Whether the task that waits for the call was canceled.
    var isCancelled: Bool { status == 1 }

    /// The method has returned a handle, or none.
    func started(_ handle: (any CancellableHandle)?) {
        if let handle { store(handle) }
    }

    /// Stores the handle that the method has returned.
    func store(_ handle: some CancellableHandle) {
        let isCancelled = withLock {
            switch state {
            case .none:
                state = .stored(handle)
                return false
            case .cancelledEarly: return true
            case .stored, .done: return false
            }
        }
        if isCancelled { handle.cancel() }
    }

    /// Called when the token is canceled before the call has ended.
    func cancel() {
        let handle = withLock { () -> (any CancellableHandle)? in
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
        _ = withLock { () -> State in
            defer { state = .done }
            return state
        }
    }
}

extension CallHandle: CancelledWithTask {
    /// The state changes at once, and the handle is canceled on a Dispatch thread.
    func cancelFromHandler() {
        publish(1)
        DispatchQueue.global(qos: .userInitiated).async { self.cancel() }
    }
}
