import Foundation
public import SwiftSyntax

/// A part of a text, and what replaces it.
///
/// Offsets count UTF-8 bytes.
public struct Edit: Hashable, Sendable {
    /// The bytes to replace; empty to insert.
    public var range: Range<Int>
    /// The new text.
    public var text: String

    /// Replaces some bytes.
    public init(_ range: Range<Int>, _ text: String) {
        self.range = range
        self.text = text
    }

    /// Replaces a node or token, and leaves the space and the comments around it.
    public init(replacing node: some SyntaxProtocol, with text: String) {
        self.init(
            node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset, text)
    }

    /// Removes what is between two positions.
    public init(removingFrom start: AbsolutePosition, to end: AbsolutePosition) {
        self.init(start.utf8Offset..<end.utf8Offset, "")
    }

    /// Inserts a text.
    public init(inserting text: String, at position: AbsolutePosition) {
        self.init(position.utf8Offset..<position.utf8Offset, text)
    }
}

extension String {
    /// The text with all edits made, each with the line ends of this text: a carriage return and a line feed, or a line
    /// feed.
    ///
    /// Several insertions at one place come as they stand in the list, before a replacement there. Edits that overlap
    /// an earlier one are left out.
    public func applying(_ edits: [Edit]) -> String {
        let hasReturns = contains("\r\n")
        let bytes = Array(utf8)
        var result: [UInt8] = []
        var position = 0
        for (_, edit) in edits.enumerated().sorted(by: { Self.order($0) < Self.order($1) }) {
            guard edit.range.lowerBound >= position else { continue }
            result += bytes[position..<edit.range.lowerBound]
            result += Array((hasReturns ? edit.text.withReturns : edit.text).utf8)
            position = edit.range.upperBound
        }
        result += bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }

    private static func order(_ edit: (offset: Int, element: Edit)) -> (Int, Int, Int) {
        (edit.element.range.lowerBound, edit.element.range.upperBound, edit.offset)
    }

    private var withReturns: String {
        replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\n", with: "\r\n")
    }
}
