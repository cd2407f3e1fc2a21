import Foundation
import SimpleFutures

/// What goes through the library: an object that counts itself.
final class Cargo: Sendable {
    static let living = Count()

    let number: Int

    init(_ number: Int) {
        self.number = number
        Self.living.add(1)
    }

    deinit { Self.living.add(-1) }
}

/// A number that many change.
final class Count: @unchecked Sendable {
    // Sendable, because the number is reached under the lock.

    private let lock = NSLock()
    private var number = 0

    func add(_ difference: Int) { lock.withLock { number += difference } }
    var value: Int { lock.withLock { number } }
}

/// Waits for answers, each of which must come once.
final class Answers: Sendable {
    static let missing = Count()

    /// Expects one, and gives back what must be called with it.
    static func expect(_ count: Int = 1) { missing.add(count) }
    static func come() { missing.add(-1) }
}

enum Memory {
    /// How many bytes of the process are in memory, those of files left out.
    static var resident: Int? {
        guard let pages = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8),
            let line = pages.split(separator: "\n").first(where: { $0.hasPrefix("Anonymous:") })
        else { return nil }
        return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
    }
}
