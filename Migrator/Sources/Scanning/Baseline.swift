public import Foundation

/// The numbers of an earlier scan, which must not get worse.
public struct Baseline: Codable, Sendable, Hashable {
    /// How many functions were left to wrap.
    public var left: Int
    /// How many functions there were.
    public var functions: Int

    /// The numbers of a scan.
    public init(_ totals: Totals) {
        left = totals.left
        functions = totals.functions
    }

    /// Reads a baseline.
    public init(_ data: Data) throws { self = try JSONDecoder().decode(Baseline.self, from: data) }

    /// The file's text.
    public var text: String { "{ \"functions\": \(functions), \"left\": \(left) }\n" }

    /// Compares a scan with this baseline.
    ///
    /// - Returns: What to tell, and whether the number of functions that are left to wrap has risen.
    public func comparison(with totals: Totals, file: String) -> (text: String, hasRisen: Bool) {
        if totals.left > left {
            let text = """
                \(totals.left) functions are left to wrap, and \(file) allows \(left). Wrap the new ones with \
                `migrator wrap`, or accept them by running this command again with `--write`.
                """
            return (text, true)
        }
        if totals.left < left {
            let text = """
                \(totals.left) functions are left to wrap, and \(file) allows \(left). To lower it, run this command \
                again with `--write`.
                """
            return (text, false)
        }
        return ("\(totals.left) functions are left to wrap, as in \(file).", false)
    }
}
