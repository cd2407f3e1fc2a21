import SimpleFutures

/// The errors of the tests.
enum Oops: Error, Equatable {
    /// What the source of a derived future fails with.
    case source
    /// What a closure throws.
    case thrown
    case other
}

extension String {
    /// An error in a form that can be compared: time that has passed, however long it was, and a race that nobody has
    /// won, whatever the errors were.
    init(comparing error: any Error) {
        if error is NoneSucceeded {
            self.init(reflecting: FuturesError.noSuchElement)
        } else {
            self.init(reflecting: error as? FuturesError == .timedOut ? FuturesError.timedOut : error)
        }
    }
}
