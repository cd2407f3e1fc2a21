import Foundation
import SimpleFutures
import Testing

/// What an example prints: within it, this is `print`.
nonisolated final class Output: @unchecked Sendable {
    // Sendable: what has been printed is reached under the lock.

    /// What was printed by which line of the page.
    struct Line: Equatable, Sendable {
        var number: Int
        var text: String
    }

    private let lock = NSLock()
    private let claimed: [Line]
    private var lines: [Line] = []
    private let promise = Promise<Void>()

    init(claimed: [Line]) { self.claimed = claimed }

    /// What the lines that claim an output have printed, in the order in which they have.
    var printed: [Line] { lock.withLock { lines } }

    /// Completed when as much has been printed as is claimed.
    var isComplete: Future<Void> { promise.future }

    func callAsFunction(_ items: Any..., separator: String = " ", terminator: String = "\n", line: Int = #line) {
        guard claimed.contains(where: { $0.number == line }) else { return }
        let text = items.map { "\($0)" }.joined(separator: separator)
        let isLast = lock.withLock {
            lines.append(Line(number: line, text: text))
            return lines.count == claimed.count
        }
        if isLast { promise.success(()) }
    }
}

/// A block of the documentation that claims an output.
nonisolated struct Example: Sendable, CustomTestStringConvertible {
    var page: String
    var line: Int
    var claims: [Output.Line]
    var run: @Sendable (Output) async throws -> Void

    var testDescription: String { "\(page):\(line)" }
}
