import Foundation
import SimpleFutures

// Runs all kinds of work at once for a given time, and checks that no result is lost and no object is leaked.
//
//     swift run -c release --package-path Tests/Soak Soak 60
//
// Workers do every kind of work in turn on contexts of every kind, and pause after five seconds and at the end. Each
// object that goes through the library is counted, and so are the results. At a pause no object may be alive, all
// results must have arrived, and the process may not take more memory than at the first pause.

@main
enum Soak {
    /// The allowed difference in memory, in bytes: the allocator's own caches.
    private static let tolerance = 4 << 20

    static func main() async {
        let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 60
        guard seconds > 5 else {
            print(
                "usage: Soak [SECONDS], more than 5, not '\(CommandLine.arguments.dropFirst().joined(separator: " "))'")
            exit(2)
        }
        let site = Site()
        var isRight = true
        let first = await site.work(for: 5)
        isRight = first.print(after: 5) && isRight
        let last = await site.work(for: seconds - 5)
        isRight = last.print(after: seconds) && isRight
        for (work, count) in site.counts.all.sorted(by: { $0.key < $1.key }) {
            print(String(format: "%12ld", count), work)
        }
        if let before = first.memory, let after = last.memory, after > before + tolerance {
            print("The process has grown by \((after - before) >> 10) KiB.")
            isRight = false
        }
        exit(isRight ? 0 : 1)
    }
}

/// The result of a check at a pause.
struct Finding: Sendable {
    let operations: Int
    let living: Int
    let unanswered: Int
    let registrations: [String]
    /// In bytes; nil if it is unknown.
    let memory: Int?

    /// Prints the finding.
    ///
    /// Returns whether nothing is left.
    func print(after seconds: Double) -> Bool {
        let memory = memory.map { "\($0 >> 10) KiB" } ?? "unknown"
        Swift.print(
            "After \(Int(seconds)) s: \(operations) operations, \(living) objects alive, \(unanswered) without an answer,",
            "memory \(memory)")
        for registration in registrations { Swift.print("    left: \(registration)") }
        return living == 0 && unanswered == 0 && registrations.isEmpty
    }
}
