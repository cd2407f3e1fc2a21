public import CSimpleFutures

// Inlinable within the package, because the bridge to tasks locks as often as the core, and generic code is slow unless
// it is specialized. No other file uses the lock's C functions.

/// An object with a lock, and a byte that other threads read without the lock.
///
/// Both are stored in the object, so a future with its lock is one allocation on every platform. Use `Lock` where an
/// allocation is acceptable.
///
/// Open for the classes of this package; it has no public members.
open class _LockedObject: @unchecked Sendable {
    // Sendable: `word` is accessed only by the atomic functions of CSimpleFutures.

    @usableFromInline
    struct Word: Sendable {
        @usableFromInline var lock: sf_lock_t = 0
        @usableFromInline var status: UInt8 = 0

        @usableFromInline init(status: UInt8) { self.status = status }
    }

    // The first stored property, so that its address is known. A formal access would count as a modification and
    // exclude others.
    private final let word: Word

    /// Creates an object whose lock is free.
    ///
    /// - Parameter status: The initial value of the byte that is read without the lock.
    @usableFromInline
    package init(status: UInt8 = 0) { word = Word(status: status) }

    /// The address of the subclass's first stored property, if that is aligned like a pointer.
    @inlinable
    final var rawStorage: UnsafeMutableRawPointer {
        @inline(__always) get { _getUnsafePointerToStoredProperties(self) + MemoryLayout<UInt64>.size }
    }

    @inlinable
    final var address: UnsafeMutablePointer<Word> {
        @inline(__always) get { _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: Word.self) }
    }

    /// Runs a closure under the lock.
    ///
    /// The closure must not run user code or release anything. It returns the references it removes from the state, so
    /// that they are released after the unlock.
    @inlinable @inline(__always)
    package final func withLock<Result: ~Copyable, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result: Result
        do {
            sf_lock(&address.pointee.lock)
            defer { sf_unlock(&address.pointee.lock) }
            result = try body()
        }
        // Otherwise the optimizer releases a result that the caller ignores before the unlock.
        withExtendedLifetime(result) {}
        return result
    }

    /// The status byte.
    ///
    /// A thread that has read it sees everything written before it was published.
    @inlinable
    package final var status: UInt8 {
        @inline(__always) get { sf_load(&address.pointee.status) }
    }

    /// Sets the byte.
    @inlinable @inline(__always)
    package final func publish(_ status: UInt8) { sf_publish(&address.pointee.status, status) }

    /// Sets the byte if it has the expected value.
    ///
    /// Returns false if it had another one.
    @inlinable @inline(__always)
    package final func exchange(status old: UInt8, for new: UInt8) -> Bool {
        sf_exchange(&address.pointee.status, old, new)
    }
}

/// A value that is accessed only under a lock.
@usableFromInline
package final class Lock<State: ~Copyable>: _LockedObject, @unchecked Sendable {
    // Sendable: the state is accessed only under the lock, whatever its type.

    @usableFromInline @exclusivity(unchecked) var state: State

    @usableFromInline
    package init(_ state: consuming State) {
        self.state = state
        super.init()
    }

    /// Runs a closure under the lock; see `_LockedObject.withLock(_:)`.
    @inlinable @inline(__always)
    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withLock { () throws(Failure) -> Result in try body(&state) }
    }
}

extension Lock where State: Copyable {
    /// Replaces the value and returns the old one, so that it is released after the unlock.
    @inlinable @discardableResult
    package func exchange(_ new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}
