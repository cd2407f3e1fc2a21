@testable import TestSupport

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
