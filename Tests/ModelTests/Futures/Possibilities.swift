/// The possible ends of a future, given the possible ends of its sources.
struct Possibilities {
    private let steps: [FutureProgram.Step]
    private let seen: FutureObservations
    private let mayDetach: (Int, Int?) -> Bool
    private let known: [Int: Set<End>]

    init(
        _ steps: [FutureProgram.Step], _ seen: FutureObservations, mayDetach: @escaping (Int, Int?) -> Bool,
        known: [Int: Set<End>]
    ) {
        self.steps = steps
        self.seen = seen
        self.mayDetach = mayDetach
        self.known = known
    }

    /// Nil if they are unknown.
    func ends(of step: FutureProgram.Step) -> Set<End>? {
        switch step.operation {
        case .promise, .bare: return offers(to: step.id, isBare: step.operation.isBare)
        case .value: return [.success(step.id)]
        case .transform(let transform, let source, _, let token):
            guard var ends = known[source].map({ Set($0.map { transform.applied(to: $0) }) }) else { return nil }
            if mayDetach(source, token) { ends.insert(.cancelled) }
            // A token also cancels the closure's task, whose result is then the future's.
            if transform == .asyncMap, mayDetach(source, token) { ends.insert(.cancellationError) }
            return ends
        case .flatMap(let source, let inner, let isRecovery, _, let token):
            guard let sourceEnds = known[source], let innerEnds = known[inner] else { return nil }
            var ends: Set<End> = mayDetach(source, token) || mayDetach(inner, token) ? [.cancelled] : []
            for end in sourceEnds {
                if isRecovery ? end.isFailure : end.isSuccess { ends.formUnion(innerEnds) } else { ends.insert(end) }
            }
            return ends
        case .gather(let gathering, let sources, _):
            let inputs = sources.compactMap { known[$0] }
            return inputs.count == sources.count ? ends(of: gathering, inputs) : nil
        case .retry(let sources, _, _, let token):
            let inputs = sources.compactMap { known[$0] }
            guard inputs.count == sources.count else { return nil }
            return ends(ofAttempts: inputs).union(mayDetach(step.id, token) ? [.cancelled] : [])
        case .timeout(let source, let token):
            return known[source]?.union([.timedOut]).union(mayDetach(source, token) ? [.cancelled] : [])
        case .delay(let source, let token):
            return known[source]?.union(mayDetach(source, token) ? [.cancelled] : [])
        case .asyncFuture(let source, let token):
            guard let ends = known[source] else { return nil }
            return Set(ends.map { $0 == .cancelled ? .cancellationError : $0 })
                .union(mayDetach(source, token) ? [.cancellationError] : [])
        default: return nil
        }
    }

    /// The ends with which the program tries to complete a promise or a bare future.
    private func offers(to target: Int, isBare: Bool) -> Set<End>? {
        var ends = Set<End>()
        var isCompletedByHand = false
        for step in steps {
            switch step.operation {
            case .complete(target, let isSuccess), .tryComplete(target, let isSuccess):
                ends.insert(isSuccess ? .success(step.id) : .failure(step.id))
                isCompletedByHand = true
            case .listen(_, _, _, _, target?) where seen.answers[step.id] != nil:
                ends.insert(.success(step.id))
                isCompletedByHand = true
            case .completeWith(target, let source):
                // The source may come after the target in the program. Then only its observed end is known.
                guard let end = seen.ends[source] ?? nil else { return nil }
                ends.insert(end)
            default: break
            }
        }
        // A step that completes it also holds it, so it cannot be broken.
        guard !isCompletedByHand else { return ends }
        if isBare { ends.insert(.success(endingID)) }
        if !isBare || isDropped(target) { ends.insert(.broken) }
        return ends
    }

    private func isDropped(_ future: Int) -> Bool {
        steps.contains { if case .dropFuture(future) = $0.operation { true } else { false } }
    }

    private func ends(of gathering: FutureProgram.Gathering, _ inputs: [Set<End>]) -> Set<End> {
        let all = inputs.reduce(into: Set<End>()) { $0.formUnion($1) }
        switch gathering {
        case .zip, .sequence, .traverse, .settled:
            var result: Set<End> = gathering == .settled ? [] : all.filter { !$0.isSuccess }
            let isOpen = gathering == .settled || inputs.allSatisfy { $0.contains(where: \.isSuccess) }
            if isOpen { result.formUnion(sums(inputs, gathering)) }
            return result
        case .firstCompleted:
            if inputs.isEmpty { return [.noSuchElement] }
            let mayBeCancelled = inputs.allSatisfy { $0.contains(.cancelled) }
            return all.filter { $0 != .cancelled || mayBeCancelled }
        case .firstSucceeded, .find:
            let found = Set(all.compactMap(gathering.found))
            if inputs.contains(where: { $0.allSatisfy { gathering.found($0) != nil } }) { return found }
            return found.union(
                inputs.allSatisfy { $0.contains(.cancelled) } && !inputs.isEmpty
                    ? [.noSuchElement, .cancelled] : [.noSuchElement])
        case .fold: return all.filter { !$0.isSuccess }.union(folds(inputs))
        }
    }

    /// The possible results of a fold that is not canceled.
    private func folds(_ inputs: [Set<End>]) -> Set<End> {
        var thrown: Set<End> = []
        var sums: Set<Int> = [0]
        for input in inputs {
            let results = sums.flatMap { sum in
                input.filter(\.isSuccess).map { FutureProgram.Gathering.folded(sum, $0.number) }
            }
            thrown.formUnion(results.filter { !$0.isSuccess })
            sums = Set(results.filter(\.isSuccess).map(\.number))
        }
        return thrown.union(sums.map { .success($0) })
    }

    private func ends(ofAttempts inputs: [Set<End>]) -> Set<End> {
        var ends: Set<End> = []
        for (index, input) in inputs.enumerated() {
            let again = index + 1 < inputs.count ? input.filter { $0.isFailure && FutureProgram.shouldRetry($0) } : []
            ends.formUnion(input.subtracting(again))
            if again.isEmpty { break }
        }
        return ends
    }

    /// The sums over all choices of one end per input.
    private func sums(_ inputs: [Set<End>], _ gathering: FutureProgram.Gathering) -> Set<End> {
        var choices: [[End]] = [[]]
        for input in inputs {
            let ends =
                gathering == .settled
                ? Set(input.map { $0 == .cancelled ? .cancellationError : $0 }) : input.filter(\.isSuccess)
            choices = choices.flatMap { choice in ends.map { choice + [$0] } }
        }
        return Set(choices.map { .success(FutureProgram.Gathering.sum($0)) })
    }
}
