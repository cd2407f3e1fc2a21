import Foundation

extension Operation {
    /// The properties whose changes an operation reports to its observers, such as its queue.
    enum ObservedProperty: String {
        case isExecuting
        case isFinished
    }

    /// Changes properties and notifies their observers.
    func change<Result>(_ properties: [ObservedProperty], _ body: () -> Result) -> Result {
        for property in properties { willChange(property) }
        defer { for property in properties.reversed() { didChange(property) } }
        return body()
    }

    #if canImport(ObjectiveC)
    // With the key names that `Operation` documents. A key path would refer to the Objective-C properties `executing`
    // and `finished`, which have no observers.

    private func willChange(_ property: ObservedProperty) { willChangeValue(forKey: property.rawValue) }

    private func didChange(_ property: ObservedProperty) { didChangeValue(forKey: property.rawValue) }
    #else
    // Foundation on Linux supports only key paths.

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
