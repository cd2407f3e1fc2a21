#if canImport(Darwin)
public import os
#else
public import Synchronization
#endif

// Inlinable within the package: the bridge to tasks locks as often as the core, and what is generic is slow as long as
// it is not specialised.

/// A value that is reached under a lock and in no other way.
///
/// This file is the only one that names a lock. `Mutex` keeps its value inline, which is worth an allocation for each
/// future; Apple's systems have it from macOS 15 on, so there it is the unfair lock until the deployment target rises.
///
/// The closure must not run user code: decide under the lock, act outside. What it removes from the state is returned,
/// so that captures are released after the unlock.
@usableFromInline
package struct Lock<State>: ~Copyable, @unchecked Sendable {
    // Sendable, because the state is reached under the lock alone, whatever its type.

    #if canImport(Darwin)
    @usableFromInline let storage: OSAllocatedUnfairLock<State>
    #else
    @usableFromInline let storage: Mutex<Unchecked<State>>
    #if DEBUG
    // For the thread sanitizer, which does not see into the slow path of `Mutex` and would report races that are none:
    // each holder of the lock acquires what the one before has released.
    @usableFromInline let order = Atomic(0)
    #endif
    #endif

    @inlinable
    package init(_ state: State) {
        #if canImport(Darwin)
        storage = OSAllocatedUnfairLock(uncheckedState: state)
        #else
        storage = Mutex(Unchecked(value: state))
        #endif
    }

    @inlinable @inline(__always)
    package borrowing func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        #if canImport(Darwin)
        try storage.withLockUnchecked(body)
        #else
        try storage.withLock { state in
            #if DEBUG
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            #endif
            return Unchecked(value: try body(&state.value))
        }.value
        #endif
    }
}

extension Lock {
    /// Puts another value in the place of the old one, and returns that, so that it is released after the unlock.
    @inlinable @discardableResult
    package borrowing func exchange(_ new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}

/// Carries a value across a boundary that asks for `Sendable` where the lock already provides the safety.
@usableFromInline
package struct Unchecked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable, because it never leaves `Lock`, which lets one thread at a time reach the value.
    @usableFromInline var value: Value

    @inlinable @inline(__always)
    init(value: consuming Value) { self.value = value }

    @inlinable @inline(__always)
    consuming func take() -> Value { value }
}

extension Unchecked: Copyable where Value: Copyable {}

/// A lock that holds nothing, for an object whose parts it guards until, at the end, one thread alone owns them.
///
/// As for `Lock`, the closure must not run user code.
@usableFromInline
package struct BareLock: ~Copyable, Sendable {
    #if canImport(Darwin)
    @usableFromInline let storage = OSAllocatedUnfairLock()
    #else
    @usableFromInline let storage = Mutex<Void>(())
    #if DEBUG
    // As in `Lock`.
    @usableFromInline let order = Atomic(0)
    #endif
    #endif

    @inlinable
    package init() {}

    @inlinable @inline(__always)
    package borrowing func withLock<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result {
        #if canImport(Darwin)
        storage.lock()
        defer { storage.unlock() }
        return try body()
        #else
        return try storage.withLock { _ in
            #if DEBUG
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            #endif
            return Unchecked(value: try body())
        }.take()
        #endif
    }
}

/// A byte that is published under a lock and read without it, where the deployment target has atomics.
///
/// Whoever has read it sees what was written before it was published.
@usableFromInline
struct PublishedByte: ~Copyable, Sendable {
    #if canImport(Darwin)
    /// Whether to read it costs less than to take the lock.
    static var isLockFree: Bool { false }

    init(_ value: UInt8) {}
    func publish(_ value: UInt8) {}
    /// Never does: the lock is to be taken.
    func replace(_ old: UInt8, by new: UInt8) -> Bool { false }
    func add(_ bits: UInt8) -> UInt8 { 0 }

    @inline(__always)
    func load(under lock: borrowing BareLock, _ read: () -> UInt8) -> UInt8 { lock.withLock(read) }
    #else
    /// Whether to read it costs less than to take the lock.
    static var isLockFree: Bool { true }

    private let byte: Atomic<UInt8>

    init(_ value: UInt8) { byte = Atomic(value) }

    @inline(__always)
    func publish(_ value: UInt8) { byte.store(value, ordering: .releasing) }

    /// Replaces one value by another, without the lock; false when it was a third one.
    @inline(__always)
    func replace(_ old: UInt8, by new: UInt8) -> Bool {
        byte.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }

    /// Adds bits, for one who holds the lock, while another thread may replace the value without it; returns what it
    /// was.
    @inline(__always)
    func add(_ bits: UInt8) -> UInt8 { byte.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue }

    @inline(__always)
    func load(under lock: borrowing BareLock, _ read: () -> UInt8) -> UInt8 { byte.load(ordering: .acquiring) }
    #endif
}

/// A switch of the whole library that is looked at without a lock.
///
/// Whoever looks may see a moment later that it was set.
@usableFromInline
struct Switch: ~Copyable, @unchecked Sendable {
    #if canImport(Darwin)
    // Sendable, because it is one byte: whoever looks sees one of the two values, and is content with either.
    private let isSet = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    init() { isSet.initialize(to: false) }

    deinit { isSet.deallocate() }

    var isOn: Bool {
        @inline(__always) get { isSet.pointee }
    }

    func set(_ isOn: Bool) { isSet.pointee = isOn }
    #else
    private let isSet = Atomic(false)

    init() {}

    var isOn: Bool {
        @inline(__always) get { isSet.load(ordering: .relaxed) }
    }

    func set(_ isOn: Bool) { isSet.store(isOn, ordering: .relaxed) }
    #endif
}

/// Whose turn it is, without a lock where the deployment target has atomics.
@usableFromInline
package struct Turn: ~Copyable, Sendable {
    /// Free, taken, or taken while others wait for it.
    @usableFromInline
    package enum State: UInt8, Sendable {
        case free
        case taken
        case contended
    }

    #if canImport(Darwin)
    @usableFromInline let state = Lock(State.free)

    /// Replaces one state by another; false when it was a third one.
    @inlinable
    package borrowing func exchange(_ old: State, for new: State) -> Bool {
        state.withLock { state in
            guard state == old else { return false }
            state = new
            return true
        }
    }

    @inlinable
    package borrowing func set(_ new: State) { state.exchange(new) }
    #else
    @usableFromInline let state = Atomic(State.free.rawValue)

    /// Replaces one state by another; false when it was a third one.
    @inlinable
    package borrowing func exchange(_ old: State, for new: State) -> Bool {
        state.compareExchange(
            expected: old.rawValue, desired: new.rawValue, successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        ).exchanged
    }

    @inlinable
    package borrowing func set(_ new: State) { state.store(new.rawValue, ordering: .releasing) }
    #endif

    @inlinable
    package init() {}
}
