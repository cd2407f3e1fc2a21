/// A reference that the compiler does not count.
///
/// Counting would be most of the cost of a short delivery, and would release a long list recursively. Where such a
/// reference is stored, a comment says what keeps the object alive.
@usableFromInline
@frozen
struct Unretained<Object: AnyObject>: Equatable {
    @usableFromInline let reference: Unmanaged<Object>

    private init(reference: Unmanaged<Object>) { self.reference = reference }

    /// Refers to an object that something else holds.
    @inlinable @inline(__always)
    init(_ object: Object) { reference = .passUnretained(object) }

    /// Holds the object until `take` or `release`.
    @inlinable @inline(__always)
    init(holding object: Object) { reference = .passRetained(object) }

    /// The object, with a reference of the caller's.
    @inlinable
    var object: Object {
        @inline(__always) get { reference.takeUnretainedValue() }
    }

    /// The same reference, for an object that is known to be of the other class.
    @inline(__always)
    func cast<Other>(to _: Other.Type) -> Unretained<Other> {
        assert(use { $0 is Other }, "the object is not of this class")
        return Unretained<Other>(reference: .fromOpaque(reference.toOpaque()))
    }

    /// Uses the object without a reference of the caller's: it must live until `body` returns.
    @inlinable @inline(__always)
    func use<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef(body)
    }

    /// Returns the object and passes its reference on.
    @inlinable @inline(__always)
    func take() -> Object { reference.takeRetainedValue() }

    @inlinable @inline(__always)
    func release() { reference.release() }

    @inlinable @inline(__always)
    static func == (one: Self, other: Self) -> Bool { one.reference.toOpaque() == other.reference.toOpaque() }
}

@available(*, unavailable)
extension Unretained: Sendable {}
