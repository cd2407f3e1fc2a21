/// The settled inputs of a combined future, each at its index.
///
/// Slots are filled under a lock, and read by the thread that fills the last one.
@usableFromInline
final class Arrivals: @unchecked Sendable {
    // Sendable: guarded by the lock of the combinator that fills it. Futures are retained manually, so that empty slots
    // need no reference counting.

    @usableFromInline let places: UnsafeMutableBufferPointer<Unretained<AnyFuture>?>

    init(count: Int) {
        places = .allocate(capacity: count)
        places.initialize(repeating: nil)
    }

    deinit {
        for case let future? in places { future.release() }
        places.deallocate()
    }

    func put(_ future: AnyFuture, at index: Int) { places[index] = Unretained(holding: future) }

    /// The number of slots.
    @usableFromInline
    var count: Int { places.count }

    /// The future in a filled slot.
    @usableFromInline
    subscript(index: Int) -> AnyFuture { places[index].unsafelyUnwrapped.object }

    /// Transforms the futures, once all slots are filled.
    @inlinable @inline(__always)
    func map<Mapped>(_ transform: (AnyFuture) -> Mapped) -> [Mapped] {
        // The empty array is shared by all threads, and this would write its count.
        guard count > 0 else { return [] }
        return Array(unsafeUninitializedCapacity: count) { buffer, count in
            for index in buffer.indices {
                buffer.initializeElement(
                    at: index, to: places[index].unsafelyUnwrapped.use(transform))
            }
            count = buffer.count
        }
    }
}
