#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value that is reached under a lock and in no other way.
///
/// This file is the only one that names a lock. `Mutex` keeps its value inline, which is worth an allocation for each
/// future; Apple's systems have it from macOS 15 on, so there it is the unfair lock until the deployment target rises.
///
/// The closure must not run user code: decide under the lock, act outside. What it removes from the state is returned,
/// so that captures are released after the unlock.
package struct Lock<State>: ~Copyable, @unchecked Sendable {
    // Sendable, because the state is reached under the lock alone, whatever its type.

    #if canImport(Darwin)
    private let storage: OSAllocatedUnfairLock<State>
    #else
    private let storage: Mutex<Unchecked<State>>
    #if DEBUG
    // For the thread sanitizer, which does not see into the slow path of `Mutex` and would report races that are none:
    // each holder of the lock acquires what the one before has released.
    private let order = Atomic(0)
    #endif
    #endif

    package init(_ state: State) {
        #if canImport(Darwin)
        storage = OSAllocatedUnfairLock(uncheckedState: state)
        #else
        storage = Mutex(Unchecked(value: state))
        #endif
    }

    @inline(__always)
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

/// Carries a value across a boundary that asks for `Sendable` where the lock already provides the safety.
package struct Unchecked<Value>: @unchecked Sendable {
    // Sendable, because it never leaves `Lock`, which lets one thread at a time reach the value.
    var value: Value
}
