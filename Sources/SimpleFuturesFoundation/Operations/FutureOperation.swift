public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

/// An operation that finishes when a future is completed.
///
/// Use it for queues that limit concurrent work, and for operations that depend on it.
///
///     let upload = FutureOperation { token in
///         client.upload(file, cancelToken: token)
///     }
///     cleanup.addDependency(upload)
///     queue.addOperation(upload)
///     queue.addOperation(cleanup)
///     try await upload.future.value
///
/// The work begins when the queue starts the operation. A canceled operation finishes at once, as dependent operations
/// expect, or as soon as the queue starts it; its token and its ``future`` are canceled at once, unless it waits for the
/// work's own result. Like any operation it also finishes after failures: check the ``future``.
public final class FutureOperation<T: Sendable>: Operation, @unchecked Sendable {
    // Sendable like its superclass; its own properties are constant or under a lock.

    /// The result of the work.
    ///
    /// It fails with `FuturesError.brokenPromise(createdAt:)` if the operation is released before it has started.
    public var future: Future<T> { promise.future }

    private let promise: Promise<T>
    private let work: Lock<(@Sendable (CancelToken) throws -> Future<T>)?>
    private let token = CancelToken()
    private let response: TaskCancellationResponse
    private let phase = Lock(Phase.waiting)

    private enum Phase {
        case waiting, executing, finished
    }

    /// Creates an operation whose work a closure begins when the queue starts it.
    ///
    /// - Parameters:
    ///   - response: Whether a canceled operation finishes at once, or when the work has a result: use that for work
    ///     that must have ended before the queue begins other work.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - work: Begins the work, once, on the thread on which the queue starts operations. The token is canceled with
    ///     the operation. If it throws, the future fails.
    public init(
        onCancel response: TaskCancellationResponse = .abandon, fileID: StaticString = #fileID, line: UInt = #line,
        _ work: @escaping @Sendable (CancelToken) throws -> Future<T>
    ) {
        promise = Promise(fileID: fileID, line: line)
        self.response = response
        self.work = Lock(work)
        super.init()
    }

    /// Creates an operation that finishes when an existing future is completed.
    ///
    /// A canceled operation finishes at once; the future continues.
    ///
    /// - Parameter future: The future to wait for. The operation finishes when it ends in any way.
    public convenience init(_ future: Future<T>) { self.init { _ in future } }

    /// True: the work continues after `start` has returned.
    public override var isAsynchronous: Bool { true }

    /// Whether the work is running.
    public override var isExecuting: Bool { phase.withLock { $0 } == .executing }

    /// Whether the queue has started the operation, and its future has ended.
    public override var isFinished: Bool { phase.withLock { $0 } == .finished }

    /// Begins the work.
    ///
    /// Called by the queue.
    public override func start() {
        let isFirst = change([.isExecuting]) {
            phase.withLock { phase in
                defer { if phase == .waiting { phase = .executing } }
                return phase == .waiting
            }
        }
        guard isFirst, let work = work.exchange(nil) else { return }
        main(work)
    }

    private func main(_ work: (CancelToken) throws -> Future<T>) {
        future.observe(.plumbing) { _, _ in self.finish() }
        guard !isCancelled else { return endWithoutWork() }
        do {
            try work(token).lead(to: future, under: response == .abandon ? token : .none)
        } catch {
            promise.tryFailure(error)
        }
    }

    /// Ends the future of an operation that was canceled before its start.
    private func endWithoutWork() {
        switch response {
        // Another thread may be about to do the same in `cancel`.
        case .abandon: future.cancelAsTarget()
        // The caller waits for the work's own result, so it gets an error.
        case .wait: promise.tryFailure(CancellationError())
        }
    }

    private func finish() {
        change([.isExecuting, .isFinished]) { phase.withLock { $0 = .finished } }
    }

    /// Cancels the work, or prevents it from beginning.
    public override func cancel() {
        super.cancel()
        if response == .abandon { future.cancelAsTarget() }
        token.cancel()
    }
}
