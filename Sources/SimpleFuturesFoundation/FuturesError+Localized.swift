public import Foundation
public import SimpleFutures

extension FuturesError: LocalizedError {
    /// The `description`, so that `localizedDescription` also says what happened and what to do.
    public var errorDescription: String? { description }
}
