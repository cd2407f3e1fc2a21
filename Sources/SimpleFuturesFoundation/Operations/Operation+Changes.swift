import Foundation

extension Operation {
    /// What an operation tells those who observe it, its queue among them.
    enum ObservedProperty: String {
        case isExecuting
        case isFinished
    }

    /// Changes properties, and tells those who observe them.
    func change<Result>(_ properties: [ObservedProperty], _ body: () -> Result) -> Result {
        for property in properties { willChange(property) }
        defer { for property in properties.reversed() { didChange(property) } }
        return body()
    }

    #if canImport(ObjectiveC)
    // By the names that `Operation` documents. A key path would name the Objective-C properties, `executing` and
    // `finished`, which nobody observes.

    private func willChange(_ property: ObservedProperty) { willChangeValue(forKey: property.rawValue) }

    private func didChange(_ property: ObservedProperty) { didChangeValue(forKey: property.rawValue) }
    #else
    // Linux's Foundation knows the key paths alone.

    private func willChange(_ property: ObservedProperty) {
        switch property {
        case .isExecuting: willChangeValue(for: \.isExecuting)
        case .isFinished: willChangeValue(for: \.isFinished)
        }
    }

    private func didChange(_ property: ObservedProperty) {
        switch property {
        case .isExecuting: didChangeValue(for: \.isExecuting)
        case .isFinished: didChangeValue(for: \.isFinished)
        }
    }
    #endif
}
