import SourceFiles

extension PortedFile {
    /// The notes of the calls that are left, and of those to check, as compilers write them.
    ///
    /// - Parameter all: Whether each call has a note of its own. Otherwise, calls of one kind that are left for the
    ///   same reason have one.
    public func notes(all: Bool = false) -> [String] {
        var groups: [(text: String, positions: [Position])] = []
        var indices: [String: Int] = [:]
        for call in calls {
            guard case .left(let reason) = call.outcome else { continue }
            let text = "\(call.row.theirs) is \(call.row.ours) here: \(reason)"
            if !all, let index = indices[text] {
                groups[index].positions.append(call.position)
            } else {
                indices[text] = groups.count
                groups.append((text, [call.position]))
            }
        }
        let left = groups.map { text, positions in
            let first = positions[0]
            return "\(path):\(first.line):\(first.column): note: left\(Self.lines(positions)): \(text)"
        }
        return left + remarks.map { "\(path):\($0.position.line):\($0.position.column): note: \($0.text)" }
    }

    /// " 7 times, in lines 1, 2, 3, 4, 5 and 2 more".
    private static func lines(_ positions: [Position]) -> String {
        guard positions.count > 1 else { return "" }
        let lines = positions.map { String($0.line) }
        let more = lines.count > 6 ? " and \(lines.count - 5) more" : ""
        let shown = more.isEmpty ? lines : Array(lines.prefix(5))
        return " \(lines.count) times, in lines " + shown.joined(separator: ", ") + more
    }
}
