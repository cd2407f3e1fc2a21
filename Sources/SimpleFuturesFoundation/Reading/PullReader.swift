import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Reads one piece of a descriptor at a time, on demand.
///
/// It reads only for a task that waits; others wait until it is their turn. A piece, the end or an error that was read for
/// a task that is canceled at that moment is kept for the next one.
final class PullReader: Sendable {
    private struct State {
        var waiter: CheckedContinuation<Data?, any Error>?
        /// Whether the task was canceled before it became the waiter.
        var isCancelled = false
        /// Whether a read or a wait is in progress, which looks for a waiter afterwards.
        var isReading = false
        /// The last wait until there is something to read, which may have ended.
        var readiness: Registration?
        var unread: Result<Data?, any Error>?
    }

    private let descriptor: Descriptor
    private let chunkSize: Int
    private let queue = DispatchQueue(label: "SimpleFuturesFoundation.PullReader")
    private let turnstile = Turnstile()
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
        if !turnstile.tryEnter() {
            guard await turnstile.enter() else { throw taskCancellation() }
        }
        defer { turnstile.leave() }
        // The former task may have been canceled after it had received a piece.
        state.withLock { $0.isCancelled = false }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { wait($0) }
            } onCancel: {
                cancel()
            }
        } catch is CancellationError {
            // The handler runs outside of this task, and knows nothing of its reason.
            throw taskCancellation()
        }
    }

    private func wait(_ continuation: CheckedContinuation<Data?, any Error>) {
        let (isCancelled, starts) = state.withLock { state in
            guard !state.isCancelled else { return (true, false) }
            state.waiter = continuation
            defer { state.isReading = true }
            return (false, !state.isReading)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        if starts { queue.async { self.read() } }
    }

    private func cancel() {
        let (waiter, readiness) = state.withLock { state in
            guard let waiter = state.waiter.take() else {
                state.isCancelled = true
                return (nil as CheckedContinuation<Data?, any Error>?, nil as Registration?)
            }
            return (waiter, state.readiness.take())
        }
        stopWaiting(readiness)
        waiter?.resume(throwing: CancellationError())
    }

    /// Runs on the queue.
    private func read() {
        let (isAwaited, unread) = state.withLock { state in
            guard state.waiter != nil else {
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
                if state.waiter != nil { state.readiness = readiness }
                return state.waiter != nil
            }
            if !isAwaited { stopWaiting(readiness) }
        } catch {
            pass(.failure(error), isRead: false)
        }
    }

    /// Stops the wait, so that it does not hold the descriptor: there is no waiter left.
    private func stopWaiting(_ readiness: Registration?) {
        guard let readiness, readiness.cancel() else { return }
        // A waiter that has come in the meantime has found `isReading` set and relies on this read.
        queue.async { self.read() }
    }

    /// Passes a result to the waiter, or keeps it for the next one.
    ///
    /// - Parameters:
    ///   - result: A piece, nil at the end, or an error.
    ///   - isRead: Whether it was read. Any other error is not kept: the next waiter may be able to wait.
    func pass(_ result: Result<Data?, any Error>, isRead: Bool = true) {
        let waiter = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            if isRead, state.waiter == nil { state.unread = result }
            state.isReading = false
            return state.waiter.take()
        }
        waiter?.resume(with: result)
    }
}
