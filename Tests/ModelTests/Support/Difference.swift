/// The differences between observations and expectations, in words.
struct Difference {
    private(set) var lines: [String] = []

    mutating func compare<Value: Equatable>(_ what: String, _ seen: [Int: Value], _ expected: [Int: Value]) {
        for id in Set(seen.keys).union(expected.keys).sorted() where seen[id] != expected[id] {
            lines.append(
                "  \(what)\(id): \(seen[id].map { "\($0)" } ?? "nothing")"
                    + ", expected \(expected[id].map { "\($0)" } ?? "nothing")")
        }
    }

    mutating func compare<Value: Equatable>(_ what: String, _ seen: Value, _ expected: Value) {
        if seen != expected { lines.append("  \(what): \(seen), expected \(expected)") }
    }

    mutating func compare(_ what: String, _ seen: Set<Int>, _ expected: Set<Int>) {
        compare(what, seen.sorted(), expected.sorted())
    }
}
