import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Reads one piece of a descriptor at a time, on demand.
///
/// It reads only for waiters. A piece, the end or an error that was read for a task that is canceled at that moment is
/// kept for the next waiter.
final class PullReader: Sendable {
    private struct State {
        /// The waiters, in the order of their calls.
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Data?, any Error>)] = []
        /// Waiters whose task was canceled before they were added.
        var cancelled: Set<UInt64> = []
        var lastId: UInt64 = 0
        /// Whether a read or a wait is in progress, which checks the waiters afterwards.
        var isReading = false
        /// The last wait until there is something to read, which may have ended.
        var readiness: Registration?
        var unread: Result<Data?, any Error>?
    }

    private let descriptor: Descriptor
    private let chunkSize: Int
    private let queue = DispatchQueue(label: "SimpleFuturesFoundation.PullReader")
    private let state = Lock(State())

    init(_ descriptor: Descriptor, chunkSize: Int) {
        self.descriptor = descriptor
        self.chunkSize = chunkSize
    }

    /// Waits for the next piece.
    ///
    /// Returns nil at the end.
    ///
    /// - Throws: `CancellationError` at once if the task is canceled; a `POSIXError` if reading fails.
    func next() async throws -> Data? {
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        // The task may be canceled after it has received a piece.
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { wait($0, id) }
            } onCancel: {
                cancel(id)
            }
        } catch is CancellationError {
            // The handler runs outside of this task, and knows nothing of its reason.
            throw taskCancellation()
        }
    }

    private func wait(_ continuation: CheckedContinuation<Data?, any Error>, _ id: UInt64) {
        let (isCancelled, starts) = state.withLock { state in
            guard state.cancelled.remove(id) == nil else { return (true, false) }
            state.waiters.append((id, continuation))
            defer { state.isReading = true }
            return (false, !state.isReading)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        if starts { queue.async { self.read() } }
    }

    private func cancel(_ id: UInt64) {
        let (continuation, readiness) = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return (nil as CheckedContinuation<Data?, any Error>?, nil as Registration?)
            }
            let waiter = state.waiters.remove(at: index)
            return (waiter.continuation, state.waiters.isEmpty ? state.readiness.take() : nil)
        }
        stopWaiting(readiness)
        continuation?.resume(throwing: CancellationError())
    }

    /// Runs on the queue.
    private func read() {
        let (isAwaited, unread) = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isReading = false
                return (false, nil as Result<Data?, any Error>?)
            }
            return (true, state.unread.take())
        }
        guard isAwaited else { return }
        if let unread { return pass(unread) }
        guard descriptor.isReady(for: .reading) else { return waitUntilReady() }
        switch descriptor.read(upTo: chunkSize) {
        case .bytes(let data): pass(.success(data))
        case .nothing: waitUntilReady()
        case .end: pass(.success(nil))
        case .failed(let error): pass(.failure(error))
        }
    }

    private func waitUntilReady() {
        do {
            let readiness = try Poller.shared.whenReady(descriptor, for: .reading, on: queue) { self.read() }
            let isAwaited = state.withLock { state in
                if !state.waiters.isEmpty { state.readiness = readiness }
                return !state.waiters.isEmpty
            }
            if !isAwaited { stopWaiting(readiness) }
        } catch {
            pass(.failure(error), isRead: false)
        }
    }

    /// Stops the wait, so that it does not hold the descriptor: there are no waiters left.
    private func stopWaiting(_ readiness: Registration?) {
        guard let readiness, readiness.cancel() else { return }
        // A waiter added in the meantime has found `isReading` set and relies on this read.
        queue.async { self.read() }
    }

    /// Passes a result to the first waiter, or keeps it for the next one.
    ///
    /// - Parameters:
    ///   - result: A piece, nil at the end, or an error.
    ///   - isRead: Whether it was read. Any other error is not kept: the next waiter may be able to wait.
    func pass(_ result: Result<Data?, any Error>, isRead: Bool = true) {
        let (continuation, goesOn) = state.withLock { state in
            guard !state.waiters.isEmpty else {
                if isRead { state.unread = result }
                state.isReading = false
                return (nil as CheckedContinuation<Data?, any Error>?, false)
            }
            let waiter = state.waiters.removeFirst()
            state.isReading = !state.waiters.isEmpty
            return (waiter.continuation, state.isReading)
        }
        continuation?.resume(with: result)
        if goesOn { queue.async { self.read() } }
    }
}
