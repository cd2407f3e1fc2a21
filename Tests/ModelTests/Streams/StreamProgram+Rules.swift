// The programs that may be run: without cycles, and, on one thread, without an order that the library leaves open.

extension StreamProgram {
    /// Whether all rules are followed.
    var isValid: Bool {
        let steps = steps
        var feeds: [Int: [Int]] = [:]
        for step in steps {
            if case .completeWith(let target, let source) = step.operation { feeds[target, default: []].append(source) }
        }
        var reach: [Int: UInt64] = [:]
        var degrees: [Int: Int] = [:]
        var causes: [Int: UInt64] = [:]
        var isStable = false
        while !isStable {
            isStable = true
            for step in steps where step.operation.makesStream {
                var reached: UInt64 = 0
                var cause = step.operation.causes | 1 << UInt64(step.id)
                for source in step.operation.sources + (feeds[step.id] ?? []) {
                    reached |= (reach[source] ?? 0) | 1 << UInt64(source)
                    cause |= causes[source] ?? 0
                }
                let sources = step.operation.sources + (feeds[step.id] ?? [])
                let all = sources.map { degrees[$0] ?? 1 }
                // A flatMap multiplies: a few in a row would produce too many elements.
                let most = all.dropFirst().max() ?? 0
                let degree = step.operation.isFlatMap ? all[0] + most : all.max() ?? 1
                if degree > 2 || reached & (1 << UInt64(step.id)) != 0 { return false }
                if reach[step.id] != reached || causes[step.id] != cause || degrees[step.id] != degree {
                    isStable = false
                }
                degrees[step.id] = degree
                reach[step.id] = reached
                causes[step.id] = cause
            }
        }
        guard isSequential else { return true }
        let capacities = capacities
        let futures = futures
        return steps.allSatisfy { step in
            if case .flatMap(let source, let inner, _, let place, _) = step.operation {
                let capacity = capacities[inner] ?? 0
                // The elements of several non-empty inner streams mix in an undefined order.
                if capacity > 1, !futures.contains(source) { return false }
                // Elements that one hop delivers at once may leave the replay buffer before the closure, which has its
                // own hop, runs.
                if capacity != .max, place != .immediate, (causes[inner] ?? 0) & place.cause != 0 { return false }
            }
            if case .flatMapLatest(let source, let inner, let place, _) = step.operation,
                inner.contains(where: { capacities[$0] != 0 })
            {
                // If one hop delivers several values, each replaces the inner one before it replays.
                let replayed = min(capacities[source] ?? 0, emissions(into: source, before: step.id))
                if replayed > 1 || place != .immediate || !comesOneByOne(source, feeds) { return false }
            }
            // Two timers that depend on each other would elapse at the same moment.
            if case .transform(let transform, let source, _, _) = step.operation, transform.isPaced,
                (causes[source] ?? 0) & Self.timerCause != 0
            {
                return false
            }
            let inputs = step.operation.isPromise ? feeds[step.id] ?? [] : step.operation.sources
            var seen: UInt64 = 0
            return inputs.allSatisfy { input in
                let cause = causes[input] ?? 0
                defer { seen |= cause }
                return seen & cause == 0
            }
        }
    }

    /// The bit of timers in the set of causes: no step has this number.
    fileprivate static let timerCause: UInt64 = 1 << 59

    /// Whether each element of a stream is emitted by a step of its own.
    private func comesOneByOne(_ stream: Int, _ feeds: [Int: [Int]]) -> Bool {
        guard let operation = steps.first(where: { $0.id == stream })?.operation else { return false }
        return operation.place == .immediate && !operation.isFlatMap && feeds[stream] == nil
            && operation.sources.allSatisfy { comesOneByOne($0, feeds) }
    }

    /// How many elements a stream that `comesOneByOne` may have before a step.
    private func emissions(into stream: Int, before id: Int) -> Int {
        steps.prefix { $0.id < id }.reduce(0) { count, step in
            if case .emit(stream, _) = step.operation { return count + 1 }
            guard step.id == stream else { return count }
            return step.operation.sources.reduce(count) { $0 + emissions(into: $1, before: id) }
        }
    }

    /// The capacity of each stream.
    var capacities: [Int: Int] {
        var capacities: [Int: Int] = [:]
        let futures = futures
        for step in steps where step.operation.makesStream {
            if case .promise(let capacity) = step.operation {
                capacities[step.id] = capacity
            } else if step.operation.isFuture {
                capacities[step.id] = 1
            } else if let first = step.operation.sources.first {
                capacities[step.id] = futures.contains(first) ? .max : capacities[first]
            } else {
                capacities[step.id] = 1
            }
        }
        return capacities
    }
}

extension StreamProgram.Operation {
    fileprivate var causes: UInt64 {
        var bits: UInt64 = 0
        if place != .immediate { bits |= place.cause }
        if case .transform(let transform, _, _, _) = self, transform.isPaced { bits |= StreamProgram.timerCause }
        if let token { bits |= 1 << UInt64(token) }
        return bits
    }
}

extension Place {
    /// Its bit in the set of causes.
    fileprivate var cause: UInt64 { 1 << UInt64(60 + rawValue) }
}
