/// A value that a closure keeps from one call to the next.
///
/// Calls run one at a time, and a lock between two of them makes earlier writes visible.
@usableFromInline
final class Memory<Value>: @unchecked Sendable {
    // Sendable: used by only one closure, or by closures of which only one runs at a time.
    @usableFromInline var value: Value

    @usableFromInline
    init(_ value: Value) { self.value = value }
}
