/// Checks the result of a run on several threads: the observed ends must be possible, given how the sources ended.
struct FutureHistory {
    typealias Step = FutureProgram.Step

    let seen: FutureObservations
    private let steps: [Step]
    private let places: [Int: Int]
    private let program: FutureProgram
    /// The tokens that were canceled, directly or with a parent.
    private let cancelled: Set<Int>
    /// The tokens that may have been canceled, with a task, if that was still waiting.
    private let mayBeCancelled: Set<Int>
    /// Pairs of a future and a token whose registrations were canceled.
    private var detached: Set<[Int]> = []

    /// - Parameter done: The steps that were carried out.
    init(_ program: FutureProgram, _ done: Set<Int>, _ seen: FutureObservations) {
        self.program = program
        self.seen = seen
        let steps = program.steps.filter { done.contains($0.id) }
        self.steps = steps
        places = Dictionary(uniqueKeysWithValues: steps.enumerated().map { ($1.id, $0) })
        let stopped = Self.stopped(steps)
        var (cancelled, mayBeCancelled) = (Set<Int>(), Set<Int>())
        for step in steps {
            switch step.operation {
            case .cancel(let token): cancelled.insert(token)
            case .await(_, let token?, _) where stopped.contains(step.id): mayBeCancelled.insert(token)
            default: break
            }
        }
        for step in steps {
            guard case .child(let parent) = step.operation else { continue }
            if cancelled.contains(parent) { cancelled.insert(step.id) }
            if mayBeCancelled.contains(parent) { mayBeCancelled.insert(step.id) }
        }
        self.cancelled = cancelled
        self.mayBeCancelled = mayBeCancelled
        for step in steps {
            if case .cancelOn(let future, let token) = step.operation { detached.insert([future, token]) }
        }
    }

    /// The first error found.
    var complaint: Complaint? {
        var possible: [Int: Set<End>] = [:]
        for step in steps where step.operation.makesFuture {
            let allowed = Possibilities(steps, seen, mayDetach: mayDetach, known: possible).ends(of: step)
            possible[step.id] = allowed
            guard let end = seen.ends[step.id] ?? nil else { continue }
            if let allowed, !allowed.contains(end) {
                return "f\(step.id) ended with \(end), allowed were \(allowed.map { "\($0)" }.sorted())"
            }
            possible[step.id] = [end]
        }
        return callbackComplaint(possible) ?? awaitComplaint(possible) ?? answerComplaint(possible) ?? orderComplaint
            ?? handlerComplaint
    }

    /// Whether a registration on a future may have been canceled.
    private func mayDetach(_ future: Int, _ token: Int?) -> Bool {
        guard let token else { return false }
        return cancelled.contains(token) || mayBeCancelled.contains(token) || detached.contains([future, token])
    }

    /// The tasks that were canceled.
    private static func stopped(_ steps: [Step]) -> Set<Int> {
        Set(steps.compactMap { if case .cancelTask(let task) = $0.operation { task } else { nil } })
    }

    private func callbackComplaint(_ possible: [Int: Set<End>]) -> Complaint? {
        for step in steps {
            // At the end of the program every future has ended.
            if case .transform(.ensure, _, _, _) = step.operation, seen.notes[step.id]?.count != 1 {
                return "the closure of f\(step.id) has run \(seen.notes[step.id]?.count ?? 0) times"
            }
            guard case .listen(let future, let kind, _, let token, _) = step.operation else { continue }
            let notes = seen.notes[step.id] ?? []
            guard notes.count <= 1 else { return "callback \(step.id) has run \(notes.count) times: \(notes)" }
            if token.map({ wasCancelled($0, before: step) }) == true, !notes.isEmpty {
                return "callback \(step.id) has run under a token that was cancelled before"
            }
            guard let ends = possible[future] else { continue }
            if let note = notes.first, !ends.contains(note) {
                return "callback \(step.id) got \(note), allowed were \(ends.map { "\($0)" }.sorted())"
            }
            if notes.isEmpty, ends.allSatisfy(kind.wants), !mayDetach(future, token) {
                return "callback \(step.id) has not run, though f\(future) ended with \(ends)"
            }
        }
        return agreementComplaint
    }

    /// Even if the end of a future cannot be predicted, all its observers must have received the same one.
    private var agreementComplaint: Complaint? {
        var heard: [Int: End] = [:]
        for step in steps {
            guard case .listen(let future, _, _, _, _) = step.operation, let note = seen.notes[step.id]?.first else {
                continue
            }
            if let other = heard[future], other != note {
                return "f\(future) was heard to end with \(note) and \(other)"
            }
            heard[future] = note
        }
        return nil
    }

    private func awaitComplaint(_ possible: [Int: Set<End>]) -> Complaint? {
        let stopped = Self.stopped(steps)
        for step in steps {
            guard case .await(let future, let token, let abandons) = step.operation,
                let outcome = seen.outcomes[step.id]
            else { continue }
            guard let ends = possible[future] else { continue }
            var allowed = Set(ends.map { $0 == .cancelled ? .cancellationError : $0 })
            // A wait that cancels a token waits for the result, unless it abandons.
            if stopped.contains(step.id), token == nil || abandons { allowed.insert(.cancellationError) }
            guard allowed.contains(outcome) else { return "a\(step.id) got \(outcome), allowed were \(allowed)" }
        }
        return nil
    }

    /// Of all attempts to complete a future, only the successful one must have returned true.
    private func answerComplaint(_ possible: [Int: Set<End>]) -> Complaint? {
        for (id, answer) in seen.answers {
            guard let place = places[id] else { continue }
            let target: Int
            let offer: End
            switch steps[place].operation {
            case .tryComplete(let future, let isSuccess):
                target = future
                offer = isSuccess ? .success(id) : .failure(id)
            case .listen(_, _, _, _, let future?):
                target = future
                offer = .success(id)
            default: continue
            }
            guard let ends = possible[target], ends.count == 1, let end = ends.first else { continue }
            if answer != (end == offer) { return "step \(id) was answered \(answer), but f\(target) ended with \(end)" }
        }
        return nil
    }

    /// Callbacks of one future reach a serial context in the order of registration.
    private var orderComplaint: Complaint? {
        for (name, order) in seen.orders {
            for (index, later) in order.enumerated() {
                for earlier in order[..<index] where program.comesBefore(later, earlier) {
                    return "\(name): callback \(later) came after \(earlier)"
                }
            }
        }
        return nil
    }

    private var handlerComplaint: Complaint? {
        for step in steps {
            guard case .handler(let token) = step.operation else { continue }
            let count = seen.handlers[step.id] ?? 0
            guard count == (cancelled.contains(token) ? 1 : 0) || (count == 1 && mayBeCancelled.contains(token)) else {
                return "handler \(step.id) has run \(count) times"
            }
        }
        return nil
    }

    private func wasCancelled(_ token: Int, before step: Step) -> Bool {
        guard cancelled.contains(token) else { return false }
        return steps.contains { other in
            if case .cancel(token) = other.operation { program.comesBefore(other.id, step.id) } else { false }
        }
    }
}
