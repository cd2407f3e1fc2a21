// The programs that may be run. The rules forbid mistakes of the program itself, such as retain cycles, and orders that
// the library leaves open: on one thread the model must predict everything.

extension FutureProgram {
    /// Whether all rules are followed.
    var isValid: Bool {
        let steps = steps
        guard keepsReferences(steps) else { return false }
        let influences = Influences(steps)
        return !influences.hasCircle && (!isSequential || influences.areApart && !hasDelayAfterTask)
    }

    /// Whether there are both futures that tasks complete and delays.
    ///
    /// A task may continue before or after time has passed, so the start of the delay would be undefined.
    private var hasDelayAfterTask: Bool {
        var hasTask = false
        var hasDelay = false
        for step in steps {
            switch step.operation {
            case .transform(.asyncMap, _, _, _), .asyncFuture, .await(_, cancelling: .some, _): hasTask = true
            case .delay, .retry(_, hasDelay: true, _, _): hasDelay = true
            default: break
            }
        }
        return hasTask && hasDelay
    }

    /// A bare future must be released when it is dropped: no closure and no task may hold it.
    private func keepsReferences(_ steps: [Step]) -> Bool {
        let bare = Set(steps.lazy.filter(\.operation.isBare).map(\.id))
        guard !bare.isEmpty else { return true }
        var dropped = Set<Int>()
        for step in steps { if case .dropFuture(let id) = step.operation, bare.contains(id) { dropped.insert(id) } }
        guard !dropped.isEmpty else { return true }
        return steps.allSatisfy { step in
            switch step.operation {
            case .flatMap(_, let inner, _, _, _): !dropped.contains(inner)
            case .gather(_, let sources, _), .retry(let sources, _, _, _): dropped.isDisjoint(with: sources)
            case .asyncFuture(let source, _), .await(let source, _, _): !dropped.contains(source)
            case .completeWith(_, let source): !dropped.contains(source)
            default: true
            }
        }
    }
}

extension FutureProgram.Operation {
    var references: [Int] {
        switch self {
        case .promise, .bare, .value, .token, .drain, .advance: []
        case .transform, .flatMap, .gather, .retry, .timeout, .delay, .asyncFuture:
            sources + [token].compactMap { $0 }
        case .complete(let id, _), .tryComplete(let id, _), .dropPromise(let id), .dropFuture(let id), .child(let id),
            .handler(let id), .cancel(let id), .cancelTask(let id):
            [id]
        case .await(let future, let token, _): [future] + [token].compactMap { $0 }
        case .completeWith(let target, let source): [target, source]
        case .listen(let future, _, _, let token, let target): [future] + [token, target].compactMap { $0 }
        case .cancelOn(let future, let token): [future, token]
        }
    }
}

/// The possible causes of each future's end, as a set of bits: steps by number, and contexts.
private struct Influences {
    private var causes: [Int: UInt64] = [:]
    /// The futures that complete a promise, besides its own completers.
    private var feeds: [Int: [(future: Int, extra: UInt64)]] = [:]
    private let steps: [FutureProgram.Step]
    private var roots: [Int: Int] = [:]
    private(set) var hasCircle = false

    init(_ steps: [FutureProgram.Step]) {
        self.steps = steps
        for step in steps {
            switch step.operation {
            case .token: roots[step.id] = step.id
            case .child(let parent): roots[step.id] = roots[parent] ?? parent
            default: break
            }
        }
        for step in steps {
            switch step.operation {
            case .completeWith(let target, let source): feeds[target, default: []].append((source, 0))
            case .listen(let future, _, _, _, let target?):
                feeds[target, default: []].append((future, extra(step.operation)))
            default: break
            }
        }
        findCircles()
        var isStable = false
        while !isStable {
            isStable = true
            for step in steps where step.operation.makesFuture {
                let found = found(for: step)
                if found != causes[step.id] {
                    causes[step.id] = found
                    isStable = false
                }
            }
        }
    }

    private func extra(_ operation: FutureProgram.Operation) -> UInt64 {
        var bits: UInt64 = 0
        if operation.place != .immediate { bits |= 1 << UInt64(60 + operation.place.rawValue) }
        if let token = operation.token { bits |= 1 << UInt64(roots[token] ?? token) }
        return bits
    }

    private func found(for step: FutureProgram.Step) -> UInt64 {
        var bits = extra(step.operation) | 1 << UInt64(step.id)
        for source in step.operation.sources { bits |= causes[source] ?? 0 }
        for feed in feeds[step.id] ?? [] { bits |= (causes[feed.future] ?? 0) | feed.extra }
        return bits
    }

    /// Whether the inputs of a race cannot end at the same time, so that the first one is defined.
    var areApart: Bool {
        for step in steps {
            var inputs: [UInt64] = []
            switch step.operation {
            case .gather(.find, let sources, .crowd) where sources.count > 1: return false
            case .gather(_, let sources, _): inputs = sources.map { causes[$0] ?? 0 } + [extra(step.operation)]
            case .timeout(let source, _): inputs = [causes[source] ?? 0, extra(step.operation)]
            case .promise: inputs = (feeds[step.id] ?? []).map { (causes[$0.future] ?? 0) | $0.extra }
            default: break
            }
            var seen: UInt64 = 0
            for input in inputs {
                guard seen & input == 0 else { return false }
                seen |= input
            }
        }
        return true
    }

    /// Promises that wait for each other would never end, and never be released.
    private mutating func findCircles() {
        var reach: [Int: UInt64] = [:]
        var isStable = false
        while !isStable {
            isStable = true
            for step in steps where step.operation.makesFuture {
                var bits: UInt64 = 0
                for source in step.operation.sources + (feeds[step.id] ?? []).map(\.future) {
                    bits |= (reach[source] ?? 0) | 1 << UInt64(source)
                }
                if bits != reach[step.id] {
                    reach[step.id] = bits
                    isStable = false
                }
                if bits & (1 << UInt64(step.id)) != 0 { hasCircle = true }
            }
        }
    }
}
