/// What was asked of `compare`.
struct CompareOptions {
    /// Whether a missed goal is a failure.
    var check = false

    /// How often ours and the peer's take turns.
    var rounds = 101

    /// The rows to show, by a part of their titles; all if empty.
    var rows: [String] = []

    init(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        while let argument = arguments.popFirst() {
            switch argument {
            case "--check": check = true
            case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
            default: rows.append(argument)
            }
        }
    }

    func includes(_ title: String) -> Bool {
        rows.isEmpty || rows.contains { title.contains($0) }
    }
}
