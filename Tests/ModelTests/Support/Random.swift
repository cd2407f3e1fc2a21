/// A generator of the same numbers for the same seed: SplitMix64.
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

    /// True once in so many times.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

/// What programs are made of: some have much of one thing and nothing of another.
///
/// Programs that have a little of everything seldom have two of the same kind that meet.
struct Mixture<Ingredient: CaseIterable & Hashable> {
    private var choices: [(ingredient: Ingredient, end: Int)] = []
    private var sum = 0

    /// - Parameter usual: How much of each there is on the average.
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
