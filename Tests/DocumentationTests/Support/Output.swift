import Foundation
import SimpleFutures
import Testing

/// The output of an example.
///
/// Within an example, this is `print`.
nonisolated final class Output: @unchecked Sendable {
    // Sendable: the printed lines are accessed under the lock.

    /// Text printed by a line of the page.
    struct Line: Equatable, Sendable {
        var number: Int
        var text: String
    }

    private let lock = NSLock()
    private let claimed: [Line]
    private var lines: [Line] = []
    private let promise = Promise<Void>()

    init(claimed: [Line]) { self.claimed = claimed }

    /// The output of the lines with a claim, in the order in which it was printed.
    var printed: [Line] { lock.withLock { lines } }

    /// Completed when as many lines are printed as are claimed.
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

/// A code block of the documentation that claims an output.
nonisolated struct Example: Sendable, CustomTestStringConvertible {
    var page: String
    var line: Int
    var claims: [Output.Line]
    var run: @Sendable (Output) async throws -> Void

    var testDescription: String { "\(page):\(line)" }
}
