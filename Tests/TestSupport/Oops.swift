import SimpleFutures

/// The errors of the tests.
enum Oops: Error, Equatable {
    /// The error of the source of a derived future.
    case source
    /// The error thrown by a closure.
    case thrown
    case other
}

extension String {
    /// Creates a comparable form of an error: timeouts are equal whatever their duration, and so are races without a
    /// winner.
    init(comparing error: any Error) {
        if error is NoneSucceeded {
            self.init(reflecting: FuturesError.noSuchElement)
        } else {
            self.init(reflecting: error as? FuturesError == .timedOut ? FuturesError.timedOut : error)
        }
    }
}

struct Failure: Error, Equatable {
    var id = 0
}
