public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

/// An operation that has finished when a future is completed: for queues that limit how much goes on at a time, and for
/// operations that depend on it.
///
///     let upload = FutureOperation { token in
///         client.upload(file, cancelToken: token)
///     }
///     cleanup.addDependency(upload)
///     queue.addOperation(upload)
///     queue.addOperation(cleanup)
///     let receipt = try await upload.future.value
///
/// The work is begun when the queue starts the operation. A canceled operation finishes at once, as its dependents
/// expect: its token is canceled, and so is its ``future``, unless it waits for the work's own answer. Like any
/// operation it finishes on failures, too: ask the ``future``.
public final class FutureOperation<T: Sendable>: Operation, @unchecked Sendable {
    // Sendable as its superclass is; what it adds is constant or under a lock.

    /// What the work has come to.
    ///
    /// It fails with `FuturesError.brokenPromise(createdAt:)` if the operation is released without having been started.
    public var future: Future<T> { promise.future }

    private let promise: Promise<T>
    private let work: Lock<(@Sendable (CancelToken) throws -> Future<T>)?>
    private let token = CancelToken()
    private let response: TaskCancellationResponse
    private let phase = Lock(Phase.waiting)

    private enum Phase {
        case waiting, executing, finished
    }

    /// Creates an operation whose work a closure begins when its turn has come.
    ///
    /// - Parameters:
    ///   - response: Whether a canceled operation finishes at once, or when the work has answered: right for work that
    ///     must have ended before the queue begins something else.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - work: Begins the work, once, where the queue starts operations. The token is canceled with the operation.
    ///     If it throws, the future fails.
    public init(
        onCancel response: TaskCancellationResponse = .abandon, fileID: StaticString = #fileID, line: UInt = #line,
        _ work: @escaping @Sendable (CancelToken) throws -> Future<T>
    ) {
        promise = Promise(fileID: fileID, line: line)
        self.response = response
        self.work = Lock(work)
        super.init()
    }

    /// Creates an operation that has finished when a future is completed that somebody else is working at.
    ///
    /// A canceled operation finishes at once; the future goes on.
    ///
    /// - Parameter future: What to wait for; its end, however it comes, is that of the operation.
    public convenience init(_ future: Future<T>) { self.init { _ in future } }

    /// True: the work goes on when `start` has returned.
    public override var isAsynchronous: Bool { true }

    /// Whether the work goes on.
    public override var isExecuting: Bool { phase.withLock { $0 } == .executing }

    /// Whether the future is completed, or the operation was canceled before it has begun.
    public override var isFinished: Bool { phase.withLock { $0 } == .finished }

    /// Begins the work, for the queue.
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
        // Whoever waits for the work's own answer gets one, of work that has not begun.
        guard !isCancelled else { return _ = promise.tryFailure(CancellationError()) }
        do {
            try work(token).lead(to: future, under: response == .abandon ? token : .none)
        } catch {
            promise.tryFailure(error)
        }
    }

    private func finish() {
        change([.isExecuting, .isFinished]) { phase.withLock { $0 = .finished } }
    }

    /// Cancels the work, or sees to it that it is not begun.
    public override func cancel() {
        super.cancel()
        if response == .abandon { future.cancelAsTarget() }
        token.cancel()
    }
}
