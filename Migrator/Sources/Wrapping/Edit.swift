import Foundation

/// A change of a text: some bytes of it are replaced.
struct Edit: Sendable {
    /// The bytes to replace, as offsets; empty to insert.
    var range: Range<Int>
    /// The new text.
    var text: String

    /// The edit with the line ends of the file: a carriage return and a line feed, or a line feed.
    func withLineEnds(of file: String) -> Edit {
        guard file.contains("\r\n") else { return self }
        let lines = text.replacingOccurrences(of: "\r\n", with: "\n")
        return Edit(range: range, text: lines.replacingOccurrences(of: "\n", with: "\r\n"))
    }
}

extension String {
    /// Applies edits that don't overlap.
    func applying(_ edits: [Edit]) -> String {
        var bytes: [UInt8] = []
        let old = Array(utf8)
        var position = 0
        // A stable order: several insertions at one place come as they were made.
        for (_, edit) in edits.enumerated().sorted(by: {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }) {
            bytes += old[position..<edit.range.lowerBound]
            bytes += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        bytes += old[position...]
        return String(decoding: bytes, as: UTF8.self)
    }
}
