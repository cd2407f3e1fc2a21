/// Waits for all inputs of a combined future.
///
/// It holds an input from the moment when that is settled. It does not hold the target: see ``Lifeline``.
@usableFromInline
final class Gathering: Inputs, @unchecked Sendable {
    // Sendable like its superclass: mutable state is behind a lock.

    /// Settles the target with all inputs, in order; none is missing.
    @usableFromInline
    typealias Finish = @Sendable (_ all: Arrivals, _ target: AnyFuture) -> Void

    /// The condition under which an input is done.
    @usableFromInline
    enum Goal: Sendable {
        /// A success; any other outcome ends the wait.
        case success
        /// Any outcome.
        case anyEnd

        /// Whether a phase other than `pending` satisfies the condition.
        func isReached(in phase: FuturePhase) -> Bool { self == .anyEnd || phase == .succeeded }
    }

    private struct State {
        var missing: Int
        /// Nil after the end.
        var open: Open?

        /// Stores an input.
        ///
        /// Returns the references held so far if it was the last.
        mutating func arrive(_ input: AnyFuture, at index: Int) -> Open? {
            open?.arrivals.put(input, at: index)
            missing -= 1
            return missing == 0 ? open.take() : nil
        }
    }

    /// References that are held until the end.
    private struct Open {
        let arrivals: Arrivals
        let target: Lifeline
        let finish: Finish
    }

    private let state: Lock<State>
    private let goal: Goal
    /// Canceled together with the target.
    let losers: CancelToken

    private init(
        _ arrivals: Arrivals, missing: Int, _ goal: Goal, to target: AnyFuture, losers: CancelToken,
        finish: @escaping Finish
    ) {
        let lifeline = Lifeline(of: target)
        state = Lock(State(missing: missing, open: Open(arrivals: arrivals, target: lifeline, finish: finish)))
        self.goal = goal
        self.losers = losers
        super.init()
        // A cycle, which ends with the target or with the last input: each reference of an input to an object that is
        // referred to weakly would take three times as long.
        lifeline.atEnd { [self] in
            _ = state.withLock { $0.open.take() }
            letInputsGo()
        }
    }

    /// Waits for inputs that are added one by one, each of which has to succeed.
    ///
    /// - Parameters:
    ///   - count: How many there will be; one at least.
    ///   - target: The future to settle. Closures of the user's are to run, so the caller keeps it.
    ///   - losers: Canceled when an input ends the gathering.
    ///   - finish: Called when all have arrived.
    convenience init(count: Int, to target: AnyFuture, losers: CancelToken, finish: @escaping Finish) {
        self.init(
            Arrivals(count: count), missing: count, .success, to: target, losers: losers, finish: finish)
    }

    /// Waits for existing inputs.
    ///
    /// - Parameters:
    ///   - inputs: The futures.
    ///   - goal: What to wait for.
    ///   - target: The future to settle. Released without waiters, it ends the gathering.
    ///   - finish: Called when all have arrived.
    @usableFromInline
    static func gather(
        _ inputs: [AnyFuture], _ goal: Goal = .success, to target: AnyFuture, finish: @escaping Finish
    ) {
        let arrivals = Arrivals(count: inputs.count)
        var areAllHere = true
        for index in inputs.indices {
            let phase = Unretained(inputs[index]).use { $0.phase }
            if phase == .pending {
                areAllHere = false
            } else if !goal.isReached(in: phase) {
                return target.end(like: inputs[index])
            }
        }
        guard !areAllHere else {
            for (index, input) in inputs.enumerated() { arrivals.put(input, at: index) }
            return finish(arrivals, target)
        }
        let gathering = Gathering(
            arrivals, missing: inputs.count, goal, to: target, losers: .none, finish: finish)
        for (index, input) in inputs.enumerated() {
            if input.phase == .pending {
                input.observe(.gathering, gathering, at: index)
            } else {
                gathering.arrive(input, at: index)
            }
        }
    }

    override var target: AnyFuture? { state.withLock { $0.open?.target }?.future }

    override var isOver: Bool { state.withLock { $0.open == nil } }

    override func arrive(_ source: AnyFuture, at index: Int) {
        guard goal.isReached(in: source.phase) else { return lose(to: source) }
        guard let all = state.withLock({ $0.arrive(source, at: index) }) else { return }
        // In its turn, as what comes of it may complete another gathering, and so on.
        Trampoline.submit {
            if let target = all.target.future { all.finish(all.arrivals, target) }
        }
    }

    private func lose(to source: AnyFuture) {
        guard let all = state.withLock({ $0.open.take() }) else { return }
        // The losers first: a thread that sees the end of the target must see no further closure begin.
        losers.cancel()
        all.target.future?.end(like: source)
    }
}
