/// A raw observer of everything that can be removed, called where the future is settled, to wake somebody up.
///
/// It runs no code of the user's, so it waits for nobody's turn, and it belongs to no token.
///
/// Package hook.
package final class Waker: Observer, @unchecked Sendable {
    // Sendable: as its superclass is; `word` and `wakeUp` are set before it is shared, and belong afterwards to the one
    // who has taken it out of the list of its future.
    private var word: UInt = 0
    private var wakeUp: (@Sendable (UInt) -> Void)?
    /// Whether it was taken out, or kept out, before the future was settled.
    ///
    /// For the one who waits, when the wait is over.
    package fileprivate(set) var wasRemoved = false

    /// One that must be ``set(_:_:)`` before it is added to a future.
    package init() { super.init(.waker) }

    /// Sets what to call, once.
    ///
    /// - Parameters:
    ///   - word: What it is called with: a closure that need capture nothing costs no allocation.
    ///   - wakeUp: What to call.
    package func set(_ word: UInt = 0, _ wakeUp: @escaping @Sendable (UInt) -> Void) {
        self.word = word
        self.wakeUp = wakeUp
    }

    /// Calls it and lets it go, for the one who has taken it out.
    package func wake() { wakeUp.take()?(word) }
}

extension Observer {
    /// The waker that it is, if its kind says so.
    var asWaker: Waker { unsafeDowncast(self, to: Waker.self) }
}

extension AnyFuture {
    /// Adds a waker; false if the future is settled, or the waker was removed before: then it will not be called.
    ///
    /// Package hook.
    package final func add(_ waker: Waker) -> Bool {
        switch withState({ $0.add(waker, ifPending: true) }) {
        case .waiting: return true
        case .waitingForWork:
            observersHaveChanged()
            return true
        case .deliver, .handOver, .refused: return false
        }
    }

    /// Takes out a waker that was added, or that is about to be and then will not.
    ///
    /// Package hook.
    ///
    /// - Returns: Whether it would have been called; false when it was called, or had not been added yet.
    @discardableResult
    package final func remove(_ waker: Waker) -> Bool {
        let (removal, hasWorker) = withState { state in
            let removal = state.remove(waker)
            if removal != .tooLate { waker.wasRemoved = true }
            return (removal, state.hasWorker)
        }
        if hasWorker { observersHaveChanged() }
        return removal == .removed
    }
}
