import Foundation

/// A bar on the standard error of a terminal, and nothing in a pipe.
public final class ProgressBar: Sendable {
    private let total: Int
    private let isShown: Bool
    private let shown = Shown()

    /// Creates a bar.
    ///
    /// - Parameters:
    ///   - total: The number of files.
    ///   - isTerminal: Whether the standard error is a terminal. Nil looks.
    public init(total: Int, isTerminal: Bool? = nil) {
        self.total = total
        isShown = (isTerminal ?? (isatty(STDERR_FILENO) != 0)) && total > 50
    }

    /// Draws the bar if it has changed.
    public func update(_ done: Int) {
        guard isShown, let text = text(at: done), shown.replace(text) else { return }
        write("\r" + text)
    }

    /// Removes the bar.
    public func finish() {
        guard isShown else { return }
        write("\r\u{1B}[K")
    }

    func text(at done: Int) -> String? {
        guard total > 0 else { return nil }
        let filled = 30 * done / total
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        return "\(bar) \(100 * done / total) % of \(total) files"
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

private final class Shown: @unchecked Sendable {
    // The lock protects it.
    private var text = ""
    private let lock = NSLock()

    func replace(_ new: String) -> Bool {
        lock.withLock {
            guard new != text else { return false }
            text = new
            return true
        }
    }
}
