/// The calls of all files, counted by row.
public struct PortReport: Sendable {
    /// A row with its counts.
    public struct Count: Sendable, Hashable {
        /// The row.
        public var row: Row
        /// The number of calls.
        public var calls = 0
        /// The replaced calls.
        public var rewritten = 0
        /// The calls that are left.
        public var left = 0
    }

    /// The rows that have calls, the most frequent first.
    public let counts: [Count]
    /// The number of files that use the library.
    public let files: Int

    /// Counts the calls.
    public init(_ files: [PortedFile]) {
        self.files = files.count
        var counts: [Row: Count] = [:]
        for call in files.flatMap(\.calls) {
            var count = counts[call.row] ?? Count(row: call.row)
            count.calls += 1
            switch call.outcome {
            case .rewritten: count.rewritten += 1
            case .left: count.left += 1
            case .same: break
            }
            counts[call.row] = count
        }
        self.counts = counts.values.sorted { ($1.calls, $0.row.theirs) < ($0.calls, $1.row.theirs) }
    }

    /// The number of all calls.
    public var calls: Int { counts.reduce(0) { $0 + $1.calls } }
    /// The replaced calls.
    public var rewritten: Int { counts.reduce(0) { $0 + $1.rewritten } }
    /// The calls that are left.
    public var left: Int { counts.reduce(0) { $0 + $1.left } }

    /// A table: a line for each row, and a line with the sums.
    public func table(of library: Library) -> String {
        guard calls > 0 else { return "No calls of \(library.name) in \(fileCount)." }
        let theirs = counts.map { String($0.row.theirs.filter { $0 != "`" }) }
        let width = min(64, theirs.map(\.count).max() ?? 0)
        var lines = [" calls rewritten      left  " + library.name.padded(to: width) + "  here"]
        for (count, name) in zip(counts, theirs) {
            lines.append(
                number(count.calls, 6) + number(count.rewritten, 10) + number(count.left, 10) + "  "
                    + name.padded(to: width) + "  " + count.row.ours.filter { $0 != "`" })
        }
        lines.append(
            "\(calls) \(calls == 1 ? "call" : "calls") in \(fileCount): \(rewritten) rewritten, "
                + "\(calls - rewritten - left) the same, \(left) left. All rows: \(library.page)")
        return lines.joined(separator: "\n")
    }

    private var fileCount: String { "\(files) \(files == 1 ? "file" : "files")" }

    private func number(_ value: Int, _ width: Int) -> String {
        let text = value == 0 ? "·" : String(value)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
