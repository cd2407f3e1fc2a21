/// Futures that have come, each in its place.
///
/// Places are filled under a lock, and read by the one who has filled the last.
@usableFromInline
package final class Arrivals: @unchecked Sendable {
    // Sendable, as the lock of whoever fills it guards it. The futures are retained by hand: what has no pointer in it
    // yet need be neither retained nor released.

    @usableFromInline let places: UnsafeMutableBufferPointer<Unmanaged<AnyFuture>?>

    init(count: Int) {
        places = .allocate(capacity: count)
        places.initialize(repeating: nil)
    }

    deinit {
        for case let future? in places { future.release() }
        places.deallocate()
    }

    func put(_ future: AnyFuture, at index: Int) { places[index] = .passRetained(future) }

    /// How many places there are.
    @usableFromInline
    package var count: Int { places.count }

    /// The future in a place that is filled.
    @usableFromInline
    package subscript(index: Int) -> AnyFuture { places[index].unsafelyUnwrapped.takeUnretainedValue() }

    /// What a closure makes of them, when all have come.
    @inlinable @inline(__always)
    package func map<Output>(_ transform: (AnyFuture) -> Output) -> [Output] {
        // An empty array is shared by all threads, and this would write its count.
        guard count > 0 else { return [] }
        return Array(unsafeUninitializedCapacity: count) { buffer, count in
            for index in buffer.indices {
                buffer.initializeElement(
                    at: index, to: places[index].unsafelyUnwrapped._withUnsafeGuaranteedRef(transform))
            }
            count = buffer.count
        }
    }
}
