import Foundation
import SwiftSyntax

/// A part of a text, and what replaces it.
///
/// Offsets count UTF-8 bytes.
struct Edit: Hashable {
    var range: Range<Int>
    var text: String

    init(_ range: Range<Int>, _ text: String) {
        self.range = range
        self.text = text
    }

    /// Replaces a node or token, and leaves the space and the comments around it.
    init(replacing node: some SyntaxProtocol, with text: String) {
        self.init(
            node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset, text)
    }

    /// Removes what is between two positions.
    init(removingFrom start: AbsolutePosition, to end: AbsolutePosition) {
        self.init(start.utf8Offset..<end.utf8Offset, "")
    }

    /// The edit with the line ends of the file: a carriage return and a line feed, or a line feed.
    func withLineEnds(of file: String) -> Edit {
        guard file.contains("\r\n") else { return self }
        let lines = text.replacingOccurrences(of: "\r\n", with: "\n")
        return Edit(range, lines.replacingOccurrences(of: "\n", with: "\r\n"))
    }

    init(inserting text: String, at position: AbsolutePosition) {
        self.init(position.utf8Offset..<position.utf8Offset, text)
    }
}

extension String {
    /// The text with all edits made.
    ///
    /// Edits that overlap an earlier one are left out.
    func applying(_ edits: [Edit]) -> String {
        let bytes = Array(utf8)
        var result: [UInt8] = []
        var position = 0
        for edit in edits.sorted(by: {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }) {
            guard edit.range.lowerBound >= position else { continue }
            result += bytes[position..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        result += bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }
}
