// The objects that are tracked, and their descriptions.

extension Census {
    /// Tracks a promise, which describes its future.
    @usableFromInline
    static func note(_ promise: Promise<some Sendable>) {
        if isOn { enter(promise) }
    }

    /// Tracks a completion handler, which describes its future.
    static func note(_ block: BlockProducer) {
        if isOn { enter(block) }
    }
}

extension Subject {
    var subject: any Subject { self }
}

extension AnyFuture: Subject {
    var headline: String { "\(type(of: self))" }
    var isOpen: Bool { phase == .pending }
}

extension Promise: Counted {
    var subject: any Subject { future }
    var headline: String { "which the promise made at \(site) completes" }
    var isOpen: Bool { future.isOpen }
}

extension BlockProducer: Counted {
    var subject: any Subject { future }
    var isOpen: Bool { future.isOpen }
}

extension StreamCore: Subject {
    var headline: String {
        let place = site.map { ", made at \($0)" } ?? ""
        return "FutureStream with \(historyCount) kept\(place)"
    }
    var isOpen: Bool { end == nil }
}
