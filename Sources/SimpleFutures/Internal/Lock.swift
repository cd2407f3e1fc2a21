public import CSimpleFutures

// Inlinable within the package: the bridge to tasks locks as often as the core, and what is generic is slow as long as
// it is not specialized. This file is the only one that names a lock.

/// An object with a lock of its own, and a byte that other threads read without it.
///
/// Both lie in the object, so a future with its lock is one allocation on every platform. `Lock` is for what may cost
/// an allocation.
///
/// Open for the classes of this package; it has nothing that is public.
open class _LockedObject: @unchecked Sendable {
    // Sendable: `word` is reached by the atomic functions of CSimpleFutures alone.

    @usableFromInline
    struct Word: Sendable {
        @usableFromInline var lock: sf_lock_t = 0
        @usableFromInline var status: UInt8 = 0

        @usableFromInline init(status: UInt8) { self.status = status }
    }

    // The first stored property, whose address is known. A formal access would be one to modify, and exclude others.
    private final let word: Word

    /// Creates an object whose lock is free.
    ///
    /// - Parameter status: The byte that is read without the lock.
    @usableFromInline
    package init(status: UInt8 = 0) { word = Word(status: status) }

    /// Where the subclass's first stored property lies, if it is aligned as a pointer.
    @inlinable
    final var rawStorage: UnsafeMutableRawPointer {
        @inline(__always) get { _getUnsafePointerToStoredProperties(self) + MemoryLayout<UInt64>.size }
    }

    @inlinable
    final var address: UnsafeMutablePointer<Word> {
        @inline(__always) get { _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: Word.self) }
    }

    /// Decides something under the lock.
    ///
    /// The closure must run no code of the user's, and release nothing: decide under the lock, act outside. What it
    /// removes from the state it returns, to be released after the unlock.
    @inlinable @inline(__always)
    package final func withLock<Result: ~Copyable, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        sf_lock(&address.pointee.lock)
        defer { sf_unlock(&address.pointee.lock) }
        return try body()
    }

    /// The byte.
    ///
    /// Whoever has read it sees what was written before it was published.
    @inlinable
    package final var status: UInt8 {
        @inline(__always) get { sf_load(&address.pointee.status) }
    }

    /// Sets the byte.
    @inlinable @inline(__always)
    package final func publish(_ status: UInt8) { sf_publish(&address.pointee.status, status) }

    /// Sets the byte if it has a certain value; false when it had another one.
    @inlinable @inline(__always)
    package final func exchange(status old: UInt8, for new: UInt8) -> Bool {
        sf_exchange(&address.pointee.status, old, new)
    }
}

/// A value that is reached under a lock and in no other way.
@usableFromInline
package final class Lock<State: ~Copyable>: _LockedObject, @unchecked Sendable {
    // Sendable, because the state is reached under the lock alone, whatever its type.

    @usableFromInline @exclusivity(unchecked) var state: State

    @usableFromInline
    package init(_ state: consuming State) {
        self.state = state
        super.init()
    }

    /// Decides something under the lock; see `_LockedObject.withLock(_:)`.
    @inlinable @inline(__always)
    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        sf_lock(&address.pointee.lock)
        defer { sf_unlock(&address.pointee.lock) }
        return try body(&state)
    }
}

extension Lock where State: Copyable {
    /// Puts another value in the place of the old one, and returns that, so that it is released after the unlock.
    @inlinable @discardableResult
    package func exchange(_ new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}
