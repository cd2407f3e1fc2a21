import Foundation

/// Returns the rows as a Markdown table.
func table(of rows: [Row]) -> String {
    """
    | | one operation | peer | ours | peer's | ratio | goal |
    |---:|---|---|---:|---:|---:|---|

    """ + rows.map(\.markdown).joined(separator: "\n")
}

/// Replaces the text between the page's two comments `<!-- name -->` and `<!-- end of name -->`.
func write(_ text: String, between name: String, into page: URL) throws {
    let (start, end) = ("<!-- \(name) -->\n", "\n<!-- end of \(name) -->")
    var content = try String(contentsOf: page, encoding: .utf8)
    guard let first = content.range(of: start), let last = content.range(of: end),
        first.upperBound <= last.lowerBound
    else { throw PageError(page: page.path, name: name) }
    content.replaceSubrange(first.upperBound..<last.lowerBound, with: "\n" + text + "\n")
    try content.write(to: page, atomically: true, encoding: .utf8)
}

/// The error for a page without these comments.
private struct PageError: Error, CustomStringConvertible {
    let page: String
    let name: String

    var description: String { "\(page) has no lines '<!-- \(name) -->' and '<!-- end of \(name) -->'" }
}
