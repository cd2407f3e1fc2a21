import Foundation
import SimpleFutures

/// The values sent through the library: objects that count themselves.
final class Cargo: Sendable {
    static let living = Count()

    let number: Int

    init(_ number: Int) {
        self.number = number
        Self.living.add(1)
    }

    deinit { Self.living.add(-1) }
}

/// A number that many threads change.
final class Count: @unchecked Sendable {
    // Sendable: the number is accessed under the lock.

    private let lock = NSLock()
    private var number = 0

    func add(_ difference: Int) { lock.withLock { number += difference } }
    var value: Int { lock.withLock { number } }
}

/// Waits for results, each of which must arrive once.
final class Answers: Sendable {
    static let missing = Count()

    /// Expects a result, and returns the closure to call with it.
    static func expect(_ count: Int = 1) { missing.add(count) }
    static func come() { missing.add(-1) }
}

enum Memory {
    /// How many bytes of the process are in memory, without mapped files.
    static var resident: Int? {
        guard let pages = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8),
            let line = pages.split(separator: "\n").first(where: { $0.hasPrefix("Anonymous:") })
        else { return nil }
        return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
    }
}
