import Foundation

/// The arguments of `compare`.
struct CompareOptions {
    /// Whether a regression that shows up in each of three measurements is a failure.
    var check = false

    /// The number of rounds, in which SimpleFutures and the peer are measured alternately.
    var rounds = 101

    /// A Markdown page whose table is replaced by the results.
    var page: URL?

    /// The path of the bar chart, without its extension.
    var picture: URL?

    /// The rows to show, by a part of their titles; all rows if empty.
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
