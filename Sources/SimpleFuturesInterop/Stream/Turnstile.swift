public import SimpleFutures

/// A FIFO async mutex: lets one task in at a time, in the order in which they arrive.
///
/// Iterators are meant for one task. If one is shared against the rules of the language, calls of `next()` wait for
/// each other here, and so do the iterators of one file's lines. For a single task it costs two atomic operations.
@usableFromInline
package final class Turnstile: _LockedObject, @unchecked Sendable {
    // Sendable: the queue is accessed only under the lock. The status byte says whether the mutex is taken.

    @exclusivity(unchecked) private var queue = TurnstileQueue<UnsafeContinuation<Bool, Never>>()

    @usableFromInline
    package init() { super.init() }

    /// Enters if no task is inside.
    @inlinable @inline(__always)
    package func tryEnter() -> Bool { exchange(.free, for: .taken) }

    /// Waits until the task may enter.
    ///
    /// Returns false if the task was canceled first.
    @usableFromInline
    package func enter() async -> Bool {
        let number = withLock { queue.newNumber() }
        let isolation = #isolation
        let mayEnter =
            if let isolation { await wait(number, on: isolation) } else { await wait(number) }
        // The lock also shows the thread sanitizer, in users' tests too, that the previous task has left.
        withLock { queue.forget(number) }
        return mayEnter
    }

    private func wait(_ number: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { join($0, number) }
        } onCancel: {
            leaveQueue(number)
        }
    }

    /// Waits on an actor.
    ///
    /// The closure mentions it, because it would leave the actor otherwise.
    private func wait(_ number: Int, on actor: isolated any Actor) async -> Bool {
        await withTaskCancellationHandler {
            _ = actor
            return await withUnsafeContinuation(isolation: actor) { join($0, number) }
        } onCancel: {
            leaveQueue(number)
        }
    }

    private func join(_ continuation: UnsafeContinuation<Bool, Never>, _ number: Int) {
        let answer = withLock { queue.join(continuation, number, self) }
        if let answer { continuation.resume(returning: answer) }
    }

    private func leaveQueue(_ number: Int) {
        withLock { queue.cancel(number) }?.resume(returning: false)
    }

    /// Leaves, and lets the next task in.
    @inlinable @inline(__always)
    package func leave() {
        if !exchange(.taken, for: .free) { letNextIn() }
    }

    @usableFromInline
    func letNextIn() {
        withLock { queue.next(self) }?.resume(returning: true)
    }
}

/// Free, taken, or taken with waiting tasks.
@usableFromInline
enum Turn: UInt8, Sendable {
    case free
    case taken
    case contended
}

extension _LockedObject {
    /// Replaces a state of the mutex if it has the expected value.
    ///
    /// Returns false if it had another one.
    @inlinable @inline(__always)
    final func exchange(_ old: Turn, for new: Turn) -> Bool { exchange(status: old.rawValue, for: new.rawValue) }
}
