import Foundation

/// A correct handwritten cell with an `NSLock`.
final class LockedCell: SharedCell, @unchecked Sendable {
    private let lock = NSLock()
    private var value: Int?
    private var completions: [@Sendable (Int) -> Void] = []

    init() {}

    func complete(_ value: Int) {
        lock.lock()
        guard self.value == nil else { return lock.unlock() }
        self.value = value
        let completions = self.completions
        self.completions = []
        lock.unlock()
        for completion in completions { completion(value) }
    }

    func whenComplete(_ completion: @escaping @Sendable (Int) -> Void) {
        lock.lock()
        guard let value else {
            completions.append(completion)
            return lock.unlock()
        }
        lock.unlock()
        completion(value)
    }
}
