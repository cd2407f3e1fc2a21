import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Reads a descriptor a piece at a time, when somebody asks for one.
///
/// Nothing is read that nobody waits for. A piece that was read for a task which is canceled in that very moment is
/// kept for the next one who asks.
final class PullReader: Sendable {
    private struct State {
        /// Those who wait, in the order in which they have asked.
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Data?, any Error>)] = []
        /// Those whose task was canceled before they waited.
        var cancelled: Set<UInt64> = []
        var lastId: UInt64 = 0
        /// Whether something is under way that looks at the waiters when it is done.
        var isReading = false
        /// Tells when there is something to read.
        var readiness: Registration?
        var unread: Data?
    }

    private let descriptor: Descriptor
    private let chunkSize: Int
    private let queue = DispatchQueue(label: "SimpleFuturesFoundation.PullReader")
    private let state = Lock(State())

    init(_ descriptor: Descriptor, chunkSize: Int) {
        self.descriptor = descriptor
        self.chunkSize = chunkSize
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: `CancellationError` if the task is canceled, at once; a `POSIXError` of the read.
    func next() async throws -> Data? {
        guard !Task.isCancelled else { throw taskCancellation() }
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        // It may be canceled when it has got a piece.
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, id) }
        } onCancel: {
            cancel(id)
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

    /// On the queue.
    private func read() {
        let (isAwaited, unread, _) = state.withLock { state in
            // What has told is released outside of the lock.
            let readiness = state.readiness.take()
            guard !state.waiters.isEmpty else {
                state.isReading = false
                return (false, nil as Data?, readiness)
            }
            return (true, state.unread.take(), readiness)
        }
        guard isAwaited else { return }
        if let unread { return pass(.success(unread)) }
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
            pass(.failure(error))
        }
    }

    /// Nobody waits any more: so that nothing keeps the descriptor.
    private func stopWaiting(_ readiness: Registration?) {
        guard let readiness, readiness.cancel() else { return }
        // One who has come meanwhile has found it reading.
        queue.async { self.read() }
    }

    private func pass(_ result: Result<Data?, any Error>) {
        let (continuation, goesOn) = state.withLock { state in
            guard !state.waiters.isEmpty else {
                if case .success(let data?) = result { state.unread = data }
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
