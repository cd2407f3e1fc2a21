// One who waits for many futures holds none of them, so it cannot take back what it has registered when it has got what
// it wanted. The futures that are left forget it: the first callback is replaced by the next one, and among the
// observers it is searched for now and then.

extension FutureState {
    /// Whether it is time to search for those of somebody who waits for many futures no longer.
    ///
    /// As the limit is doubled, that is no work in proportion to the number of observers.
    var mayHaveLeftovers: Bool { leftoverLimit > 0 && count >> leftoverLimit > 0 }

    /// How many there are of these.
    var leftoverCount: Int { (first.isOver ? 1 : 0) + leftovers.count }

    private var leftovers: [Observer] {
        var found: [Observer] = []
        if leftoverLimit > 0 { waiting.forEach { if $0.isOver { found.append($0) } } }
        return found
    }

    /// Takes them out.
    mutating func takeLeftovers() -> [Observer] {
        let found = leftovers
        for observer in found { _ = remove(observer) }
        leftoverLimit = 3
        while count >> leftoverLimit > 0 { leftoverLimit += 1 }
        return found
    }
}
