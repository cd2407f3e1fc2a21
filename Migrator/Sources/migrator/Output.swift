import Foundation
import SourceFiles

/// Prints to the standard error.
func printError(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Names the files that could not be read or parsed.
///
/// - Returns: Whether there are any.
func report(_ problems: [SourceFileProblem]) -> Bool {
    guard !problems.isEmpty else { return false }
    let count = problems.count == 1 ? "1 path was left out" : "\(problems.count) paths were left out"
    printError("\n\(count):")
    for problem in problems { printError("  \(problem.path): \(problem.reason)") }
    return true
}

/// The number of columns if the standard output is a terminal.
var terminalWidth: Int? {
    guard isatty(STDOUT_FILENO) != 0 else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}
