/// A type with a value or an error, such as ``Try`` or a type of your own.
///
/// A type that conforms gets the combinators of ``Try``, and sequences of it get ``Swift/Sequence/sequence()``.
@preconcurrency
public protocol Tryable<T> {
    /// The type of the value.
    associatedtype T

    /// The value, or nil for a failure.
    var value: T? { get }
    /// The error, or nil for a success.
    var error: (any Error)? { get }

    /// Creates a success.
    init(_ value: T)
    /// Creates a failure.
    init(_ error: any Error)

    /// Returns the closure's result for the value.
    ///
    /// If it throws, that is the new error. A failure stays as it is. There is a default.
    func map<M>(_ mapping: (T) throws -> M) -> Try<M>
}

extension Tryable {
    /// Converts to a ``Try``.
    ///
    /// The error counts if there are both; if there is neither, it is a failure with ``FuturesError/invalidValue``.
    @inlinable
    public var asTry: Try<T> {
        if let error { return .failure(error) }
        guard let value else { return .failure(FuturesError.invalidValue) }
        return .success(value)
    }
}

extension Sequence where Element: Tryable {
    /// All values in order, or the first error.
    ///
    ///     let numbers: Try<[Int]> = ["1", "2"]
    ///         .map { text in Try { try parse(text) } }
    ///         .sequence()
    @inlinable
    public func sequence() -> Try<[Element.T]> { Try { try map { try $0.asTry.get() } } }
}

extension Try: Tryable {}
