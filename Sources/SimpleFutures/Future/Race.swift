/// Waits for the first of many futures that will do, and lets the others go.
///
/// It does not hold the target: see ``Lifeline``.
@usableFromInline
final class Race: Inputs, @unchecked Sendable {
    // Sendable like its superclass: mutable state is behind a lock.

    /// Handles an input that has ended.
    @usableFromInline
    typealias Arrival = @Sendable (Race, AnyFuture) -> Void

    private struct State {
        var pending: Int
        var areAllCancelled = true
        /// In the order in which they occurred.
        var errors: [any Error] = []
        /// Nil when the race is decided.
        var open: Open?
    }

    /// References that are held until the race is decided, apart from the errors.
    private struct Open {
        let target: Lifeline
        let arrival: Arrival
    }

    private let state: Lock<State>
    /// Canceled when the race is decided.
    let losers = CancelToken()

    private init(count: Int, to target: AnyFuture, _ arrival: @escaping Arrival) {
        let lifeline = Lifeline(of: target)
        state = Lock(State(pending: count, open: Open(target: lifeline, arrival: arrival)))
        super.init()
        // A cycle, which ends with the target or with the race.
        lifeline.atEnd { [self] in
            _ = close()
            letInputsGo()
        }
    }

    /// Takes what is held until the race is decided, to be released without the lock.
    private func close() -> (open: Open?, errors: [any Error]) {
        state.withLock { state in
            defer { (state.open, state.errors) = (nil, []) }
            return (state.open, state.errors)
        }
    }

    /// Starts a race.
    ///
    /// Without inputs, the target fails at once.
    @usableFromInline
    static func start(_ inputs: [AnyFuture], to target: AnyFuture, _ arrival: @escaping Arrival) {
        guard !inputs.isEmpty else {
            _ = target.fail(FuturesError.noSuchElement)
            return
        }
        let race = Race(count: inputs.count, to: target, arrival)
        for (index, input) in inputs.enumerated() where !race.isOver {
            // Here and not in a callback, which could run after that of a later input.
            if input.phase == .pending { input.observe(.race, race, at: index) } else { race.arrive(input, at: index) }
        }
    }

    override var target: AnyFuture? { state.withLock { $0.open?.target }?.future }

    override var isOver: Bool { state.withLock { $0.open == nil } }

    override func arrive(_ source: AnyFuture, at index: Int) { state.withLock { $0.open }?.arrival(self, source) }

    /// Ends the race, unless it is over.
    @usableFromInline
    func win(_ settle: (_ target: AnyFuture) -> Void) {
        let (open, errors) = close()
        guard let open else { return }
        // The losers first: a thread that sees the end of the target must see no further closure begin.
        losers.cancel()
        if let target = open.target.future { settle(target) }
        withExtendedLifetime(errors) {}
    }

    /// Removes an unsuitable input, and ends the race if it was the last.
    ///
    /// - Parameter keepsErrors: Whether a race without a winner fails with ``NoneSucceeded``, if there was an error.
    @usableFromInline
    func giveUp(_ input: AnyFuture, keepsErrors: Bool = false) {
        let isCancelled = input.phase == .cancelled
        // A nested race contributes only its first error: releasing nested errors would recurse.
        let error = (keepsErrors ? input.error : nil).map { ($0 as? NoneSucceeded)?.errors.first ?? $0 }
        let end: (areAllCancelled: Bool, errors: [any Error])? = state.withLock { state in
            state.pending -= 1
            state.areAllCancelled = state.areAllCancelled && isCancelled
            if let error, state.open != nil { state.errors.append(error) }
            return state.pending == 0 ? (state.areAllCancelled, state.errors) : nil
        }
        guard let end else { return }
        win { target in
            if end.areAllCancelled {
                target.cancelAsTarget()
            } else {
                _ = target.fail(end.errors.isEmpty ? FuturesError.noSuchElement : NoneSucceeded(end.errors))
            }
        }
    }
}
