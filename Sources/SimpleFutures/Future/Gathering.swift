/// Waits for all of many futures; if it waits for successes, it ends with the first failure or cancellation in time.
///
/// It holds a future from the moment when that is settled, never one that is pending: an input that nobody else holds
/// must be able to break.
final class Gathering: Sendable {
    typealias Finish = @Sendable ([AnyFuture]) -> Void

    /// What it takes of an input to be waited for no longer.
    enum Goal {
        /// A success; anything else ends the gathering.
        case success
        /// Any end.
        case anyEnd
    }

    private struct State {
        var arrived: [AnyFuture?]
        var missing: Int
        /// Nil when the gathering has ended.
        var finish: Finish?

        mutating func arrive(_ input: AnyFuture, at index: Int) -> Action {
            guard finish != nil else { return .nothing }
            arrived[index] = input
            missing -= 1
            return missing == 0 ? end().map { .finish($0, $1) } ?? .nothing : .goOn
        }

        /// Takes out everything that the gathering holds.
        mutating func end() -> (Finish, [AnyFuture?])? {
            guard let finish = finish.take() else { return nil }
            defer { arrived = [] }
            return (finish, arrived)
        }
    }

    private enum Action {
        case nothing
        case goOn
        case finish(Finish, [AnyFuture?])
    }

    private let state: Lock<State>
    private let goal: Goal
    private let target: AnyFuture
    /// The inputs are observed under this token, so that the losers of the race let go.
    let losers = CancelToken()

    /// Starts to gather.
    ///
    /// - Parameters:
    ///   - count: How many futures will be given to ``gather(_:at:then:)``.
    ///   - goal: What to wait for.
    ///   - target: What to fail or cancel, and who waits for it.
    ///   - finish: Called with all of them when all have arrived.
    init(count: Int, _ goal: Goal = .success, to target: AnyFuture, finish: @escaping Finish) {
        state = Lock(State(arrived: Array(repeating: nil, count: count), missing: count, finish: finish))
        self.goal = goal
        self.target = target
        if count == 0, let (finish, _) = state.withLock({ $0.end() }) { finish([]) }
    }

    /// Gathers futures that are there already.
    static func gather(_ inputs: [AnyFuture], _ goal: Goal = .success, to target: AnyFuture, finish: @escaping Finish) {
        let gathering = Gathering(count: inputs.count, goal, to: target, finish: finish)
        for (index, input) in inputs.enumerated() { gathering.gather(input, at: index) }
    }

    /// Takes one of the futures in.
    ///
    /// - Parameters:
    ///   - input: The future.
    ///   - index: Its place among the results.
    ///   - next: Runs after it has succeeded, if others are still missing.
    func gather(_ input: AnyFuture, at index: Int, then next: (@Sendable () -> Void)? = nil) {
        input.observe(.plumbing, under: losers) { source, _ in self.arrive(source, at: index, then: next) }
    }

    private func arrive(_ source: AnyFuture, at index: Int, then next: (@Sendable () -> Void)?) {
        guard goal == .anyEnd || source.phase == .succeeded else { return lose(to: source) }
        switch state.withLock({ $0.arrive(source, at: index) }) {
        case .nothing: break
        case .goOn: next?()
        case .finish(let finish, let all): finish(all.compactMap { $0 })
        }
    }

    private func lose(to source: AnyFuture) {
        guard state.withLock({ $0.end() }) != nil else { return }
        // The losers first: nobody who sees the end of the target may see another closure begin.
        losers.cancel()
        target.end(like: source)
    }
}
