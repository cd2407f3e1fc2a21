import Dispatch

/// Recognizes the main queue by a value that the tests attach to it: on Linux each access returns another object.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller runs on it.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether a queue is the main queue.
    static func isSame(as queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}

extension DispatchQueue {
    var isMain: Bool { MainQueue.isSame(as: self) }

    var isGlobalUtility: Bool { label == DispatchQueue.global(qos: .utility).label }
}
