/// A waiter on a future that can be removed.
///
/// It is called for every outcome, on the thread that settles the future.
///
/// It runs no user code, so it need not wait for earlier callbacks, and it belongs to no token. Package hook.
package final class Waker: Observer, @unchecked Sendable {
    // Sendable like its superclass; `word` and `wakeUp` are set before it is shared, and afterwards belong to the
    // thread that has removed it from the list of its future.
    private var word: UInt = 0
    private var wakeUp: (@Sendable (UInt) -> Void)?
    /// Whether it was removed, or prevented from being added, before the future was settled.
    ///
    /// Read by the waiter after the wait.
    package fileprivate(set) var wasRemoved = false

    /// Creates a waiter.
    ///
    /// Call ``set(_:_:)`` before adding it to a future.
    package init() { super.init(.waker) }

    /// Sets the function to call, once.
    ///
    /// - Parameters:
    ///   - word: The argument. With it the closure need capture nothing, which saves an allocation.
    ///   - wakeUp: The function to call.
    package func set(_ word: UInt = 0, _ wakeUp: @escaping @Sendable (UInt) -> Void) {
        self.word = word
        self.wakeUp = wakeUp
    }

    /// Calls the function and releases it.
    ///
    /// Only the thread that has removed the waiter may call this.
    package override func wake() { wakeUp.take()?(word) }
}

extension AnyFuture {
    /// Adds a waiter.
    ///
    /// Returns false if the future is settled or the waiter was removed before; it is not called then. Package hook.
    package final func add(_ waker: Waker) -> Bool {
        switch withState({ $0.add(waker, ifPending: true) }) {
        case .waiting: return true
        case .waitingForWork:
            observersHaveChanged()
            return true
        case .deliver, .dispatch, .refused: return false
        }
    }

    /// Removes a waiter of a pending future, or prevents it from being added later.
    ///
    /// Once the future is settled, the result counts: a waiter that was added is still called. Package hook.
    ///
    /// - Returns: True if this has prevented a call; false if it is or will be called, or was not added yet.
    @discardableResult
    package final func remove(_ waker: Waker) -> Bool {
        let (removal, hasWorker) = withState { state -> (FutureState.Removal, Bool) in
            guard state.phase == .pending else { return (.tooLate, false) }
            let removal = state.remove(waker)
            if removal != .tooLate { waker.wasRemoved = true }
            return (removal, state.hasWorker)
        }
        if hasWorker { observersHaveChanged() }
        return removal == .removed
    }
}
