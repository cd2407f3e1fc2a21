/// Waits for the first of many futures that will do, and lets the others go.
///
/// It holds no future that is pending: an input that nobody else holds must be able to break.
final class Race: Sendable {
    private struct State {
        var pending: Int
        var areAllCancelled = true
    }

    private let state: Lock<State>
    private let target: AnyFuture
    /// The inputs are observed under this token, and whoever cancels it has decided the race.
    let losers = CancelToken()

    /// Starts a race of so many futures; without any, the target fails at once.
    init(count: Int, to target: AnyFuture) {
        state = Lock(State(pending: count))
        self.target = target
        if count == 0 { _ = target.fail(FuturesError.noSuchElement) }
    }

    /// Ends the race, unless it is over.
    func win(_ settleTarget: () -> Void) {
        // The losers first: nobody who sees the end of the target may see another closure begin.
        if losers.cancelOnce() { settleTarget() }
    }

    /// Takes one out that will not do, and ends the race if it was the last.
    func giveUp(_ input: AnyFuture) {
        let isCancelled = input.phase == .cancelled
        let areAllCancelled: Bool? = state.withLock { state in
            state.pending -= 1
            state.areAllCancelled = state.areAllCancelled && isCancelled
            return state.pending == 0 ? state.areAllCancelled : nil
        }
        guard let areAllCancelled else { return }
        win { if areAllCancelled { target.cancelAsTarget() } else { _ = target.fail(FuturesError.noSuchElement) } }
    }
}
