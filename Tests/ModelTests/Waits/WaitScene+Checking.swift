import SimpleFutures
@testable import TestSupport

extension WaitScene {
    var complaint: Complaint? {
        state.withLock { state in
            if let complaint = state.complaint { return complaint }
            if threadCount == 1, state.order != state.emitted { return "emitted \(state.emitted), got \(state.order)" }
            for (id, var entry) in state.entries {
                if let token = entry.token, !state.canceled[token].isEmpty { entry.mayStop = true }
                if let complaint = complaint(entry, state) {
                    return "\(id) \(complaint): \(entry) of \(entry.streams.map { state.order[$0] })"
                }
            }
            return nil
        }
    }

    var complaintOfHandlers: Complaint? {
        state.withLock { state in
            state.handlers.first { $0.value != 1 }.map { "handler \($0.key) ran \($0.value) times" } ?? state.complaint
        }
    }

    private func complaint(_ entry: Entry, _ state: State) -> Complaint? {
        if entry.isInside { return "has not returned" }
        if entry.derived != nil, entry.endCount != 1 { return "its derived one ended \(entry.endCount) times" }
        if entry.future != nil {
            let isRight = entry.received.count == 1 || entry.received.isEmpty && (entry.mayStop || entry.derived != nil)
            return isRight ? nil : "ran \(entry.received.count) times"
        }
        if entry.endCount != 1, !(entry.mayStop && entry.endCount == 0) { return "ended \(entry.endCount) times" }
        let last = entry.derived == nil ? entry.received : entry.arrived
        // Once a stream has ended, its mailbox may have released a context that is a value; an equal one gets a
        // second mailbox.
        if !entry.endsOnValue, let count = entry.receivedAtEnd, count != last.count {
            return "got an element after the end"
        }
        for (index, stream) in entry.streams.enumerated() {
            let all = state.order[stream]
            let elements = entry.derived == nil ? last : last.filter(all.contains)
            let earliest = max(0, all.count - entry.latest[index])
            switch entry.derived {
            case nil, .byClosure:
                guard Self.isPart(entry.received, of: all, atLeast: entry.mayStop ? nil : earliest)
                else { return "got others" }
                if threadCount == 1, let first = entry.received.first, first != all[entry.start[index]] {
                    return "began elsewhere"
                }
                let count = entry.passed.count - max(0, entry.passedBefore - streams[stream].capacity)
                guard entry.derived == nil || Self.isPart(last, of: entry.passed, atLeast: entry.mayStop ? nil : count)
                else { return "passed on others" }
            case .take(let count):
                guard elements.count <= count, Self.isPart(elements, of: all, atLeast: nil) else {
                    return "took others"
                }
                guard threadCount == 1, !entry.mayStop else { continue }
                guard elements == Array(all.dropFirst(entry.start[index]).prefix(count)) else { return "took others" }
            case .merge:
                guard Self.isPart(elements, of: all, atLeast: entry.mayStop ? nil : earliest) else {
                    return "merged others"
                }
            }
        }
        return nil
    }

    /// Whether some elements follow each other in a list; if a least number is given, up to its end.
    private static func isPart(_ elements: [Int], of all: [Int], atLeast least: Int?) -> Bool {
        if let least { return elements.count >= least && elements == Array(all.suffix(elements.count)) }
        guard let first = elements.first else { return true }
        guard let start = all.firstIndex(of: first) else { return false }
        return elements == Array(all.dropFirst(start).prefix(elements.count))
    }
}

extension WaitScene.State {
    mutating func mayStop(_ isIncluded: (WaitScene.Entry) -> Bool) {
        for (id, entry) in entries where isIncluded(entry) { entries[id]?.mayStop = true }
    }
}
