/// The loops over streams, which know their unread elements, for reports.
///
/// Package hook for iterators.
@usableFromInline
package enum Readers: Sendable {
    /// The number of unread elements, and how many of them are failures.
    package typealias Unread = (count: Int, failures: Int)

    private static let readers = Lock<[ObjectIdentifier: @Sendable () -> Unread]>([:])

    /// Records how to ask an iterator for its unread elements.
    ///
    /// Returns false if ``FuturesDiagnostics/isTracking`` is off.
    ///
    /// - Parameters:
    ///   - subscriber: The iterator's subscriber. Remove it with `leave`.
    ///   - unread: Called under the lock of the stream.
    package static func enter(_ subscriber: Subscriber, _ unread: @escaping @Sendable () -> Unread) -> Bool {
        // Counting alone, as tests do, must not change how an iterator takes its elements.
        guard Census.isOn, FuturesDiagnostics.isTracking else { return false }
        readers.withLock { $0[ObjectIdentifier(subscriber)] = unread }
        return true
    }

    /// Removes an iterator that was released.
    package static func leave(_ subscriber: Subscriber) {
        _ = readers.withLock { $0.removeValue(forKey: ObjectIdentifier(subscriber)) }
    }

    /// Describes a loop.
    static func describe(_ subscriber: Subscriber) -> String {
        guard let unread = readers.withLock({ $0[ObjectIdentifier(subscriber)] })?(), unread.count > 0 else {
            return "a loop"
        }
        let elements = unread.count == 1 ? "1 element" : "\(unread.count) elements"
        let failures =
            switch unread.failures {
            case 0: ""
            case 1: unread.count == 1 ? ", a failure" : ", 1 of them a failure"
            default: ", \(unread.failures) of them failures"
            }
        return "a loop that has not read \(elements)\(failures)"
    }
}
