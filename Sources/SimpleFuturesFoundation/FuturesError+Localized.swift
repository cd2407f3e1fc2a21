public import Foundation
public import SimpleFutures

extension FuturesError: LocalizedError {
    /// The `description`, so that `localizedDescription` says what happened and what to do about it, too.
    public var errorDescription: String? { description }
}
