internal import CSimpleFutures
import Dispatch

/// Wakes one thread that blocks, once.
///
/// On Apple's systems it is a semaphore of Dispatch. On Linux such a semaphore waits until a time of the wall clock, and
/// ends too early or too late when that clock is set (promise 11).
final class ThreadSignal: @unchecked Sendable {
    // Sendable: `word` is accessed only by the atomic functions of CSimpleFutures.

    #if canImport(Darwin)
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Waits until the signal is open.
    ///
    /// Returns false after the deadline.
    func wait(until deadline: DispatchTime) -> Bool { semaphore.wait(timeout: deadline) == .success }
    #else
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init() { word.initialize(to: 0) }

    deinit { word.deallocate() }

    func open() { sf_open(word) }

    /// Waits until the signal is open.
    ///
    /// Returns false after the deadline.
    func wait(until deadline: DispatchTime) -> Bool { sf_wait_until(word, deadline.uptimeNanoseconds) }
    #endif
}
