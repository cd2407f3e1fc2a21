/// A random number generator with a seed: SplitMix64.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// True with the probability of one in `count`.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

/// The mixture of operations in a program: some programs have many of one kind and none of another.
///
/// In programs with a few of everything, two of the same kind would seldom meet.
struct Mixture<Ingredient: CaseIterable & Hashable> {
    private var choices: [(ingredient: Ingredient, end: Int)] = []
    private var sum = 0

    /// - Parameter usual: How many there are of each kind on average.
    init(_ random: inout Random, usual: (Ingredient) -> Int) {
        for ingredient in Ingredient.allCases {
            let factor = [0, 1, 1, 2, 4][random.below(5)]
            sum += usual(ingredient) * factor
            choices.append((ingredient, sum))
        }
    }

    func pick(_ random: inout Random) -> Ingredient? {
        guard sum > 0 else { return nil }
        let place = random.below(sum)
        return choices.first { place < $0.end }?.ingredient
    }
}
