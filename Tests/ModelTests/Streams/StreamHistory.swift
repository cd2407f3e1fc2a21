/// Checks the result of a run of streams on several threads.
struct StreamHistory {
    typealias Step = StreamProgram.Step

    let ends: [Int: End?]
    let notes: [Int: [End]]
    /// How many elements each loop has lost.
    let dropped: [Int: Int]
    /// All records in order, with the recording steps.
    let allNotes: [StreamMachine.Note]
    let program: StreamProgram
    let steps: [Step]
    /// The tokens that were canceled.
    let cancelled: Set<Int>
    /// Pairs of a stream and a token whose registrations were canceled.
    let detached: Set<[Int]>
    /// All elements of the streams with an unlimited replay buffer that still have a name.
    private(set) var all: [Int: [End]] = [:]
    private(set) var kept: [Int: [End]]

    /// - Parameter done: The steps that were carried out.
    init(_ program: StreamProgram, _ done: Set<Int>, _ seen: StreamObservations, _ allNotes: [StreamMachine.Note]) {
        self.program = program
        ends = seen.ends
        kept = seen.kept
        dropped = seen.dropped
        self.allNotes = allNotes
        notes = Dictionary(grouping: allNotes, by: \.id).mapValues { $0.map(\.end) }
        steps = program.steps.filter { done.contains($0.id) }
        var cancelled = Set<Int>()
        var detached = Set<[Int]>()
        for step in steps {
            switch step.operation {
            case .cancel(let token): cancelled.insert(token)
            case .cancelOn(let stream, let token): detached.insert([stream, token])
            default: break
            }
        }
        self.cancelled = cancelled
        self.detached = detached
        for (stream, capacity) in program.capacities where capacity == .max { all[stream] = kept[stream] }
        for future in program.futures { all[future] = kept[future] }
    }

    /// The first error found.
    var complaint: Complaint? {
        endComplaint ?? futureComplaint ?? emissionComplaint ?? derivedComplaint ?? listenerComplaint ?? loopComplaint
            ?? orderComplaint
    }

    /// Whether a registration on a stream may have been canceled.
    func mayDetach(_ stream: Int, _ token: Int?) -> Bool {
        guard let token else { return false }
        return cancelled.contains(token) || detached.contains([stream, token])
    }

    // MARK: Ends

    /// A stream must be canceled only if its registration, or that of one of its sources, was.
    private var endComplaint: Complaint? {
        var mayBeCancelled = Set<Int>()
        var isStable = false
        while !isStable {
            isStable = true
            for step in steps where !mayBeCancelled.contains(targets(step) ?? -1) {
                guard let target = targets(step) else { continue }
                var sources = step.operation.sources
                if case .completeWith(_, let source) = step.operation { sources = [source] }
                guard sources.contains(where: { mayBeCancelled.contains($0) || mayDetach($0, step.operation.token) })
                else { continue }
                mayBeCancelled.insert(target)
                isStable = false
            }
        }
        for (stream, end) in ends where end == .cancelled && !mayBeCancelled.contains(stream) {
            return "s\(stream) was cancelled without a cause"
        }
        return nil
    }

    /// The stream that a step creates, or adds a source to.
    private func targets(_ step: Step) -> Int? {
        if case .completeWith(let target, _) = step.operation { return target }
        return step.operation.makesStream ? step.id : nil
    }

    // MARK: Elements

    /// A future has one element, which a step has offered.
    private var futureComplaint: Complaint? {
        for step in steps where step.operation.isFuture && step.operation.isPromise {
            guard let elements = all[step.id], ends[step.id] == .finished else { continue }
            var allowed: Set<End> = []
            var isKnown = true
            for other in steps {
                switch other.operation {
                case .emit(step.id, let isSuccess): allowed.insert(isSuccess ? .success(other.id) : .failure(other.id))
                case .completeWith(step.id, let source):
                    // From a stream with an unlimited replay buffer, its very first element, unless it ended without
                    // one.
                    if let all = all[source] { allowed.insert(all.first ?? .noSuchElement) } else { isKnown = false }
                default: break
                }
            }
            if !steps.contains(where: { if case .emit(step.id, _) = $0.operation { true } else { false } }) {
                allowed.insert(.broken)
            }
            guard elements.count == 1, !isKnown || allowed.contains(elements[0]) else {
                return "s\(step.id) was completed with \(elements), offered were \(allowed)"
            }
        }
        return nil
    }

    /// A promise's elements are the emitted ones, in the order of each emitting thread.
    private var emissionComplaint: Complaint? {
        for step in steps {
            guard step.operation.isPromise, !step.operation.isFuture, let elements = all[step.id], !hasSources(step.id)
            else { continue }
            let emitted = steps.compactMap { other -> End? in
                guard case .emit(step.id, let isSuccess) = other.operation else { return nil }
                return isSuccess ? .success(other.id) : .failure(other.id)
            }
            guard Set(elements).isSubset(of: emitted), Set(elements).count == elements.count else {
                return "s\(step.id) has \(elements), emitted were \(emitted)"
            }
            let finishes = steps.filter { if case .finish(step.id) = $0.operation { true } else { false } }
            for element in emitted where !elements.contains(element) {
                let isExcused = finishes.contains { !program.comesBefore(element.number, $0.id) }
                guard isExcused else { return "s\(step.id) has lost \(element)" }
            }
            for (index, later) in elements.enumerated() {
                for earlier in elements[..<index] where program.comesBefore(later.number, earlier.number) {
                    return "s\(step.id) has \(later) after \(earlier)"
                }
            }
        }
        return nil
    }

    func hasSources(_ promise: Int) -> Bool {
        steps.contains { if case .completeWith(promise, _) = $0.operation { true } else { false } }
    }

    /// The elements of a derived stream follow from those of its sources.
    private var derivedComplaint: Complaint? {
        for step in steps {
            guard let elements = all[step.id] else { continue }
            let isWhole = ends[step.id] == .finished
            switch step.operation {
            case .transform(let transform, let source, _, _) where transform.isPaced:
                guard let sourceElements = all[source] else { continue }
                guard Self.isPaced(elements, sourceElements, transform, isWhole: isWhole) else {
                    return "s\(step.id) has \(elements), which is no \(transform) of \(sourceElements)"
                }
            case .pair(let pairing, let first, let second, _):
                guard let first = all[first], let second = all[second] else { continue }
                guard pairing == .zip else {
                    guard Self.isCombined(elements, pairing, first, second, isWhole: isWhole) else {
                        return "s\(step.id) has \(elements), which is no \(pairing) of \(first) and \(second)"
                    }
                    continue
                }
                let expected = zip(first, second).map(StreamProgram.paired)
                guard isWhole ? elements == expected : expected.starts(with: elements) else {
                    return "s\(step.id) has \(elements), expected \(isWhole ? "" : "the beginning of ")\(expected)"
                }
            case .transform(let transform, let source, _, _):
                guard let sourceElements = all[source] else { continue }
                let expected = Transformation.apply(transform, to: sourceElements)
                guard isWhole ? elements == expected : expected.starts(with: elements) else {
                    return "s\(step.id) has \(elements), expected \(isWhole ? "" : "the beginning of ")\(expected)"
                }
            case .merge(let sources, _):
                let inputs = sources.compactMap { all[$0] }
                guard isWhole, inputs.count == sources.count else { continue }
                guard Self.counts(elements) == Self.counts(inputs.flatMap { $0 }),
                    inputs.allSatisfy({ Self.isSubsequence($0, of: elements) })
                else { return "s\(step.id) has \(elements), which is no mixture of \(inputs)" }
            case .flatMap(let source, let inner, let isRecovery, _, _):
                guard isWhole, let outer = all[source], let inner = all[inner] else { continue }
                let expected = outer.flatMap { $0.isSuccess == isRecovery ? [$0] : inner }
                guard Self.counts(elements) == Self.counts(expected) else {
                    return "s\(step.id) has \(elements), which is no mixture of \(expected)"
                }
            case .first(let source, _), .reduce(let source, _, _):
                guard isWhole, let sourceElements = all[source] else { continue }
                let isFirst = if case .first = step.operation { true } else { false }
                let expected = isFirst ? sourceElements.first ?? .noSuchElement : Transformation.reduce(sourceElements)
                guard elements == [expected] else {
                    return "s\(step.id) was completed with \(elements), expected \(expected)"
                }
            case .flatMapLatest(let source, let inner, _, _):
                let streams = inner.compactMap { all[$0] }
                guard let outer = all[source], streams.count == inner.count else { continue }
                guard Self.isLatest(elements, outer, streams, isWhole: isWhole) else {
                    return "s\(step.id) has \(elements), which is no flatMapLatest of \(outer) to \(streams)"
                }
            default: break
            }
        }
        return nil
    }
}
