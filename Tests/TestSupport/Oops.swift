/// The errors of the tests.
enum Oops: Error, Equatable {
    /// What the source of a derived future fails with.
    case source
    /// What a closure throws.
    case thrown
    case other
}
