public import SimpleFutures

/// Lets one task in at a time, the others in the order in which they came.
///
/// Iterators are meant for one task. If one is shared against the rules of the language, calls of `next()` wait for each other
/// here. For a task that is alone it costs two atomic operations.
@usableFromInline
final class Turnstile: Sendable {
    private struct Queue {
        var waiting: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    @usableFromInline let turn = Turn()
    private let queue = Lock(Queue())

    @usableFromInline
    init() {}

    /// Enters if nobody is inside.
    @inlinable @inline(__always)
    func tryEnter() -> Bool { turn.exchange(.free, for: .taken) }

    /// Waits until it is this task's turn; false when it was cancelled before.
    @usableFromInline
    func enter() async -> Bool {
        let number = queue.withLock { queue in
            queue.lastNumber += 1
            return queue.lastNumber
        }
        let isolation = #isolation
        let mayEnter =
            if let isolation { await wait(number, on: isolation) } else { await wait(number) }
        // A cancellation may have come too late for the queue.
        queue.withLock { _ = $0.cancelled.remove(number) }
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
        let answer: Bool? = queue.withLock { queue in
            guard queue.cancelled.remove(number) == nil else { return false }
            while !turn.exchange(.taken, for: .contended), !turn.exchange(.contended, for: .contended) {
                if tryEnter() { return true }
            }
            queue.waiting.append((number, continuation))
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func leaveQueue(_ number: Int) {
        let continuation: UnsafeContinuation<Bool, Never>? = queue.withLock { queue in
            guard let index = queue.waiting.firstIndex(where: { $0.number == number }) else {
                queue.cancelled.insert(number)
                return nil
            }
            return queue.waiting.remove(at: index).continuation
        }
        continuation?.resume(returning: false)
    }

    /// Leaves, and lets the next one in.
    @inlinable @inline(__always)
    func leave() {
        if !turn.exchange(.taken, for: .free) { letNextIn() }
    }

    @usableFromInline
    func letNextIn() {
        let next: UnsafeContinuation<Bool, Never>? = queue.withLock { queue in
            guard !queue.waiting.isEmpty else {
                turn.set(.free)
                return nil
            }
            let next = queue.waiting.removeFirst().continuation
            if queue.waiting.isEmpty { turn.set(.taken) }
            return next
        }
        next?.resume(returning: true)
    }
}
