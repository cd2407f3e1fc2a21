import Foundation
import SimpleFutures

// Everything at once, for as long as it is told: whether anything is lost, or left.
//
//     swift run -c release --package-path Tests/Soak Soak 60
//
// Workers do every kind of work in turn on contexts of every kind, and rest after five seconds and at the end. Each
// object that goes through the library is counted, and so are the answers: at a rest nothing may be alive, all must be
// answered, and the process may take no more memory than at the first one.

@main
enum Soak {
    /// What the memory of the process may differ by, in bytes: what the allocator keeps for itself.
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

/// What is found when all have come to rest.
struct Finding: Sendable {
    let operations: Int
    let living: Int
    let unanswered: Int
    let registrations: [String]
    /// In bytes; nil where that is not known.
    let memory: Int?

    /// Says whether nothing is left.
    func print(after seconds: Double) -> Bool {
        let memory = memory.map { "\($0 >> 10) KiB" } ?? "unknown"
        Swift.print(
            "After \(Int(seconds)) s: \(operations) operations, \(living) objects alive, \(unanswered) without an answer,",
            "memory \(memory)")
        for registration in registrations { Swift.print("    left: \(registration)") }
        return living == 0 && unanswered == 0 && registrations.isEmpty
    }
}
