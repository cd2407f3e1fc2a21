import Foundation

/// What was asked of `compare`.
struct CompareOptions {
    /// Whether a step back is a failure, if it is there each of three times.
    var check = false

    /// How often ours and the peer's take turns.
    var rounds = 101

    /// A page of Markdown whose table is to be replaced by what was measured.
    var page: URL?

    /// Where to put the bar chart, without its extension.
    var picture: URL?

    /// The rows to show, by a part of their titles; all if empty.
    var rows: [String] = []

    init(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        while let argument = arguments.popFirst() {
            switch argument {
            case "--check": check = true
            case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
            case "--page": page = arguments.popFirst().map { URL(fileURLWithPath: $0) }
            case "--picture": picture = arguments.popFirst().map { URL(fileURLWithPath: $0) }
            default: rows.append(argument)
            }
        }
    }

    func includes(_ title: String) -> Bool {
        rows.isEmpty || rows.contains { title.contains($0) }
    }
}
