// Compares the elements that subscribers received with those of the streams.

extension StreamHistory {
    var listenerComplaint: Complaint? {
        for step in steps {
            guard case .listen(let stream, let kind, _, let token) = step.operation else { continue }
            let heard = notes[step.id] ?? []
            if token.map({ wasCancelled($0, before: step) }) == true, !heard.isEmpty {
                return "callback \(step.id) has run under a token that was cancelled before"
            }
            guard let whole = whole(stream).map({ $0.filter(kind.wants) }) else { continue }
            let mayMiss = mayDetach(stream, token)
            guard fits(heard, whole, stream, kind, isCut: mayMiss) else {
                return "callback \(step.id) of s\(stream) got \(heard), expected "
                    + "\(mayMiss ? "some of " : "")\(whole)"
            }
        }
        return nil
    }

    /// All known events of a stream, including the end.
    ///
    /// For a stream with a limited replay buffer, only the last ones.
    private func whole(_ stream: Int) -> [End]? {
        guard let end = ends[stream] ?? nil, let elements = all[stream] ?? kept[stream] else { return nil }
        return elements + [end]
    }

    /// The loops whose tasks were canceled.
    private var stopped: Set<Int> {
        Set(steps.compactMap { if case .cancelTask(let task) = $0.operation { task } else { nil } })
    }

    /// Whether all subscribers that cannot have been canceled have received everything.
    var areAllServed: Bool {
        let stopped = stopped
        return steps.allSatisfy { step in
            switch step.operation {
            case .listen(let stream, let kind, _, let token) where !mayDetach(stream, token):
                all[stream].map { elements in
                    elements.filter(kind.wants).count <= notes[step.id]?.count ?? 0
                } ?? true
            case .loop(.results, let stream, nil, nil) where !stopped.contains(step.id):
                all[stream].map { $0.count <= notes[step.id]?.count ?? 0 } ?? true
            default: true
            }
        }
    }

    private func fits(_ heard: [End], _ whole: [End], _ stream: Int, _ kind: StreamProgram.Kind?, isCut: Bool) -> Bool {
        if kind == .finish || kind == .cancel { return heard == whole || (isCut && heard.isEmpty) }
        if all[stream] != nil { return isCut ? whole.starts(with: heard) : heard == whole }
        // Older elements may have left the replay buffer before the subscription; the newest must have arrived.
        return isCut || heard.suffix(whole.count) == whole[...]
    }

    /// A loop receives all elements up to the end, unless it was left or canceled.
    var loopComplaint: Complaint? {
        let stopped = stopped
        for step in steps {
            guard case .loop(let loop, let stream, let limit, let buffering) = step.operation,
                let whole = whole(stream), all[stream] != nil
            else { continue }
            if let buffering {
                if !stopped.contains(step.id), let complaint = complaint(step.id, loop, buffering, whole) {
                    return complaint
                }
                continue
            }
            var expected = whole.map { $0 == .cancelled ? .cancellationError : $0 }
            if loop == .values, let failure = expected.firstIndex(where: \.isFailure) {
                expected = Array(expected[...failure])
            }
            if let limit { expected = Array(expected.prefix(limit)) }
            var heard = notes[step.id] ?? []
            if heard == expected { continue }
            guard stopped.contains(step.id), heard.last == .cancellationError else {
                return "loop \(step.id) got \(heard), expected \(expected)"
            }
            heard.removeLast()
            guard expected.starts(with: heard) else {
                return "loop \(step.id), which was stopped, got \(heard), expected some of \(expected)"
            }
        }
        return nil
    }

    /// Each element that reaches a loop is delivered or counted as dropped.
    private func complaint(
        _ id: Int, _ loop: StreamProgram.Loop, _ buffering: StreamProgram.Buffering, _ whole: [End]
    ) -> Complaint? {
        let heard = notes[id] ?? []
        let lost = dropped[id] ?? 0
        func complaint(_ text: String) -> Complaint {
            "loop \(id) of \(buffering.kind)(\(buffering.bound)) \(text): got \(heard), dropped \(lost), of \(whole)"
        }
        var delivered: [End] = []
        var reported = 0
        for event in heard.dropLast() {
            if case .overflow(let count) = event { reported += count } else { delivered.append(event) }
        }
        // A failure that is thrown is the last element.
        let isThrown = loop == .values && heard.last.map(whole.dropLast().contains) == true
        if isThrown, let last = heard.last { delivered.append(last) }
        let elements = Array(whole.dropLast())
        guard Self.isSubsequence(delivered, of: elements) else { return complaint("has something else") }
        // Further elements may have arrived after a thrown failure.
        if isThrown { return nil }
        let count = delivered.count + lost
        // Elements after an observed overflow are no longer counted.
        guard count == elements.count || (buffering.kind == .failing && lost > 0 && count < elements.count) else {
            return complaint("has lost count")
        }
        switch buffering.kind {
        case .newest: return delivered.last == elements.last ? nil : complaint("has lost the newest")
        case .oldest: return delivered.first == elements.first ? nil : complaint("has lost the oldest")
        case .reportingLag:
            guard delivered.last == elements.last else { return complaint("has lost the newest") }
            return loop == .values || reported == lost ? nil : complaint("was not told what it has lost")
        case .failing:
            return elements.starts(with: delivered) ? nil : complaint("went on after it had lost something")
        }
    }

    /// On one serial context each element reaches all callbacks in the order of registration, and the end comes last.
    var orderComplaint: Complaint? {
        var listeners: [String: [(id: Int, kind: StreamProgram.Kind)]] = [:]
        for step in steps {
            guard case .listen(let stream, let kind, let place, _) = step.operation, place.isSerial else { continue }
            listeners["s\(stream) on \(place)", default: []].append((step.id, kind))
        }
        guard listeners.contains(where: { $0.value.count > 1 }) else { return nil }
        var times: [Int: [End: Int]] = [:]
        for (time, note) in allNotes.enumerated() where times[note.id]?[note.end] == nil {
            times[note.id, default: [:]][note.end] = time
        }
        for (name, group) in listeners {
            for first in group {
                for second in group where program.comesBefore(first.id, second.id) {
                    guard let left = times[first.id], let right = times[second.id] else { continue }
                    for (element, time) in left {
                        if let other = right[element], other < time {
                            return "\(name): callback \(second.id) got \(element) before \(first.id)"
                        }
                    }
                    if let end = right[.finished], left.values.contains(where: { $0 > end }) {
                        return "\(name): callback \(first.id) got something after \(second.id) got the end"
                    }
                }
            }
        }
        return nil
    }

    private func wasCancelled(_ token: Int, before step: Step) -> Bool {
        steps.contains { other in
            if case .cancel(token) = other.operation { program.comesBefore(other.id, step.id) } else { false }
        }
    }
}
