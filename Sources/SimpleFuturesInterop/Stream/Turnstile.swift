public import SimpleFutures

/// Lets one task in at a time, the others in the order in which they came.
///
/// Iterators are meant for one task. If one is shared against the rules of the language, calls of `next()` wait for
/// each other here. For a task that is alone it costs two atomic operations.
@usableFromInline
final class Turnstile: Sendable {
    @usableFromInline let turn = Turn()
    private let queue = Lock(TurnstileQueue<UnsafeContinuation<Bool, Never>>())

    @usableFromInline
    init() {}

    /// Enters if nobody is inside.
    @inlinable @inline(__always)
    func tryEnter() -> Bool { turn.exchange(.free, for: .taken) }

    /// Waits until it is this task's turn; false when it was cancelled before.
    @usableFromInline
    func enter() async -> Bool {
        let number = queue.withLock { $0.newNumber() }
        let isolation = #isolation
        let mayEnter =
            if let isolation { await wait(number, on: isolation) } else { await wait(number) }
        queue.withLock { $0.forget(number) }
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
        let answer = queue.withLock { $0.join(continuation, number, turn) }
        if let answer { continuation.resume(returning: answer) }
    }

    private func leaveQueue(_ number: Int) {
        queue.withLock { $0.cancel(number) }?.resume(returning: false)
    }

    /// Leaves, and lets the next one in.
    @inlinable @inline(__always)
    func leave() {
        if !turn.exchange(.taken, for: .free) { letNextIn() }
    }

    @usableFromInline
    func letNextIn() {
        queue.withLock { $0.next(turn) }?.resume(returning: true)
    }
}
