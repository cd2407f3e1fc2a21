import SwiftParser
public import SwiftSyntax

/// A Swift file that was read and parsed.
public struct SourceFile: Sendable {
    /// The path as the user gave it, or below the folder that the user gave.
    public let path: String
    /// The text of the file.
    public let text: String
    /// The parsed text.
    public let tree: SourceFileSyntax
    /// Turns offsets into lines and columns.
    public let converter: SourceLocationConverter

    /// Parses the text.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
        // The default, 256, is too little for long views of SwiftUI.
        var copy = text
        tree = copy.withUTF8 { buffer in
            var parser = Parser(buffer, maximumNestingLevel: 1024)
            return SourceFileSyntax.parse(from: &parser)
        }
        converter = SourceLocationConverter(fileName: path, tree: tree)
    }

    /// The line and column of a node's first token, both counted from 1.
    public func position(of node: some SyntaxProtocol) -> Position {
        let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
        return Position(line: location.line, column: location.column)
    }
}

/// A line and a column, both counted from 1.
///
/// Columns count UTF-8 bytes, as the compiler's do.
public struct Position: Sendable, Hashable, Comparable, Codable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Orders positions as a reader meets them.
    public static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
