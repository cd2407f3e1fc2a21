import Foundation

/// Splits pieces of text into lines.
///
/// A line ends with a newline, or with a carriage return and a newline; neither is included.
struct LineSplitter: Sendable {
    /// The beginning of a line whose end has not arrived.
    private var rest = Data()

    /// Returns the lines that end in a piece.
    mutating func add(_ piece: Data) -> [String] {
        var lines: [String] = []
        var start = piece.startIndex
        while let end = piece[start...].firstIndex(of: 0x0A) {
            rest.append(piece[start..<end])
            lines.append(takeRest())
            start = piece.index(after: end)
        }
        rest.append(piece[start...])
        return lines
    }

    /// Returns the last line, if it does not end with a newline.
    mutating func end() -> String? { rest.isEmpty ? nil : takeRest(isTerminated: false) }

    private mutating func takeRest(isTerminated: Bool = true) -> String {
        defer { rest.removeAll(keepingCapacity: true) }
        let line = isTerminated && rest.last == 0x0D ? rest.dropLast() : rest
        return String(decoding: line, as: UTF8.self)
    }
}
