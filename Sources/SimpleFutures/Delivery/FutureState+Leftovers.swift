// A combined future holds none of its inputs, so it cannot remove its callbacks when it has ended. The inputs drop
// these stale registrations themselves: a stale first callback is replaced by the next one, and the list of observers
// is searched now and then.

extension FutureState {
    /// Whether it is time to search for stale registrations.
    ///
    /// The limit doubles each time, so the amortized cost of a registration stays constant.
    var mayHaveLeftovers: Bool { leftoverLimit > 0 && count >> leftoverLimit > 0 }

    /// The number of stale registrations.
    var leftoverCount: Int { (first.isOver ? 1 : 0) + leftovers.count }

    private var leftovers: [Observer] {
        var found: [Observer] = []
        if leftoverLimit > 0 { waiting.forEach { if $0.isOver { found.append($0) } } }
        return found
    }

    /// Whether there are more observers than the library's own, apart from stale ones.
    ///
    /// Moves stale ones that are in front to `found`, so that it need not look at them again: many waits may end, one
    /// after the other.
    mutating func hasObservers(beside own: Int, _ found: inout [Observer]) -> Bool {
        while let observer = waiting.first, observer.isOver {
            _ = remove(observer)
            found.append(observer)
        }
        let first = first == nil || first.isOver ? 0 : 1
        let others = (waiting.isEmpty ? 0 : 1) + (queued.isEmpty ? 0 : 1) + (foreign.isEmpty ? 0 : 1)
        return first + others > own || Int(count) - leftoverCount > own
    }

    /// Removes stale registrations and returns them.
    mutating func takeLeftovers() -> [Observer] {
        let found = leftovers
        for observer in found { _ = remove(observer) }
        leftoverLimit = 3
        while count >> leftoverLimit > 0 { leftoverLimit += 1 }
        return found
    }
}
