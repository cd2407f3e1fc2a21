// Combined futures.

extension FutureModel {
    /// Returns what it registers on the inputs.
    func gather(
        _ id: Int, _ gathering: FutureProgram.Gathering, _ inputs: [Node], on place: Place, into target: Node
    ) -> [Observer] {
        var missing = inputs.count
        var cancelledCount = 0
        if inputs.isEmpty {
            let isRace = gathering == .firstCompleted || gathering == .firstSucceeded || gathering == .find
            settle(target, isRace ? .noSuchElement : .success(0))
            return []
        }
        var observers: [Observer] = []
        for input in inputs {
            let observer =
                Observer(on: place, under: nil, target: target, needsPlace: \.isSuccess) { [unowned self] end in
                    missing -= 1
                    guard target.end == nil else { return }
                    if gathering == .find, end.isSuccess { seen.notes[id, default: []].append(end) }
                    if end == .cancelled { cancelledCount += 1 }
                    if let result = gathering.result(
                        of: end, isLast: missing == 0, allCancelled: cancelledCount == inputs.count,
                        all: { inputs.map { $0.end ?? .cancelled } })
                    {
                        if gathering == .firstSucceeded, result == .noSuchElement {
                            errorsOfRaces.formUnion(inputs.compactMap(\.end).filter(\.isFailure).map(\.number))
                        }
                        settle(target, result)
                        // The other inputs are let go.
                        for (_, observer) in attached where observer.target === target { observer.isAlive = false }
                    }
                }
            guard target.end == nil else { break }
            observers.append(observer)
            observe(input, observer, keeping: inputs)
        }
        return observers
    }

    func fold(_ id: Int, _ inputs: [Node], on place: Place, into target: Node) {
        for input in inputs {
            observe(
                input,
                Observer(under: nil) { [unowned self] in if !$0.isSuccess { settle(target, $0) } }, keeping: inputs)
        }
        fold(id, inputs[...], 0, on: place, into: target)
    }

    private func fold(_ id: Int, _ inputs: ArraySlice<Node>, _ sum: Int, on place: Place, into target: Node) {
        guard let input = inputs.first else { return settle(target, .success(sum)) }
        observe(
            input,
            Observer(on: place, under: nil, target: target, needsPlace: \.isSuccess) { [unowned self] end in
                guard case .success(let number) = end, target.end == nil else { return }
                seen.notes[id, default: []].append(end)
                let end = FutureProgram.Gathering.folded(sum, number)
                guard case .success(let sum) = end else { return settle(target, end) }
                fold(id, inputs.dropFirst(), sum, on: place, into: target)
            }, keeping: Array(inputs))
    }

    /// Runs one attempt after the other.
    func attempt(
        _ id: Int, _ inputs: [Node], from index: Int = 0, hasDelay: Bool, on place: Place, under link: Int,
        for target: Node
    ) {
        let start = Node()
        settle(start, .success(0))
        let isLast = index == inputs.count - 1
        let end = Observer(on: place, under: link, target: target, needsPlace: { !isLast && $0.isFailure }) {
            [unowned self] end in
            guard end.isFailure, !isLast, FutureProgram.shouldRetry(end) else { return settle(target, end) }
            let pause = Node()
            observe(
                pause,
                Observer(under: link, target: target) { [unowned self] _ in
                    attempt(id, inputs, from: index + 1, hasDelay: hasDelay, on: place, under: link, for: target)
                }, keeping: inputs)
            guard hasDelay else { return settle(pause, .success(0)) }
            addTimer(until: target) { [unowned self] in settle(pause, .success(0)) }
        }
        observe(
            start,
            Observer(on: place, under: link, target: target) { [unowned self] _ in
                // No further attempt follows.
                if isLast { seen.held.remove(id) }
                observe(inputs[index], end, keeping: isLast ? [] : inputs)
            }, keeping: inputs)
    }

    /// Keeps the closure of a step until the future has ended.
    func hold(_ id: Int, until target: Node) {
        seen.held.insert(id)
        observe(target, Observer(under: nil) { [unowned self] _ in seen.held.remove(id) })
    }

    /// Creates a token that the library creates for its own use.
    func childToken(of parent: Int?, for id: Int) -> Int {
        let token = -id
        if let parent {
            parents[token] = parent
            if cancelled.contains(parent) { cancelled.insert(token) }
        }
        return token
    }
}
