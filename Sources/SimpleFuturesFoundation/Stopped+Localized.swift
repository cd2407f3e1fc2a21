public import Foundation
public import SimpleFuturesInterop

extension Stopped: LocalizedError {
    /// The `localizedDescription` of the original error.
    public var errorDescription: String? { underlying.localizedDescription }
}
