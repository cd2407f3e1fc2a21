/// All orders of an array.
func permutations<Thing>(_ things: [Thing]) -> [[Thing]] {
    guard things.count > 1 else { return [things] }
    return things.indices.flatMap { index in
        var others = things
        let first = others.remove(at: index)
        return permutations(others).map { [first] + $0 }
    }
}

/// All ways to choose one element of each group.
func choices<Thing>(_ groups: [[Thing]]) -> [[Thing]] {
    groups.reduce([[]]) { chosen, group in chosen.flatMap { some in group.map { some + [$0] } } }
}
