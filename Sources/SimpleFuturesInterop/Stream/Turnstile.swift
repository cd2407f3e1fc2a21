public import SimpleFutures

/// Lets one task in at a time, the others in the order in which they came.
///
/// Iterators are meant for one task. If one is shared against the rules of the language, calls of `next()` wait for
/// each other here. For a task that is alone it costs two atomic operations.
@usableFromInline
final class Turnstile: _LockedObject, @unchecked Sendable {
    // Sendable, because the queue is reached under the lock alone. Whose turn it is says the byte.

    @exclusivity(unchecked) private var queue = TurnstileQueue<UnsafeContinuation<Bool, Never>>()

    @usableFromInline
    init() { super.init() }

    /// Enters if nobody is inside.
    @inlinable @inline(__always)
    func tryEnter() -> Bool { exchange(.free, for: .taken) }

    /// Waits until it is this task's turn; false when it was canceled before.
    @usableFromInline
    func enter() async -> Bool {
        let number = withLock { queue.newNumber() }
        let isolation = #isolation
        let mayEnter =
            if let isolation { await wait(number, on: isolation) } else { await wait(number) }
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

    /// Waits on an actor, which the closure names, as it would otherwise leave it.
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

    /// Leaves, and lets the next one in.
    @inlinable @inline(__always)
    func leave() {
        if !exchange(.taken, for: .free) { letNextIn() }
    }

    @usableFromInline
    func letNextIn() {
        withLock { queue.next(self) }?.resume(returning: true)
    }
}

/// Free, taken, or taken while others wait for it.
@usableFromInline
enum Turn: UInt8, Sendable {
    case free
    case taken
    case contended
}

extension _LockedObject {
    /// Replaces one turn by another; false when it was a third one.
    @inlinable @inline(__always)
    final func exchange(_ old: Turn, for new: Turn) -> Bool { exchange(status: old.rawValue, for: new.rawValue) }
}
