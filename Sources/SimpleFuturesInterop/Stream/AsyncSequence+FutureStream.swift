public import SimpleFutures

extension AsyncSequence where Self: Sendable, AsyncIterator: SendableMetatype, Element: Sendable {
    /// Returns a stream of the elements, for callers that want callbacks.
    ///
    ///     updates.futureStream(capacity: 10, cancelToken: token)
    ///         .onSuccess(isolated: { show($0) })
    ///
    /// With a capacity above 0, a task begins to iterate now and keeps the newest elements for the first subscriber.
    /// With a capacity of 0, it begins soon after the first subscriber has come. Elements that come before, and that
    /// the sequence itself does not buffer, are lost. When the sequence ends, the stream finishes; if it throws, the
    /// stream emits the error and finishes. For notifications there is `notifications(named:capacity:)` in
    /// SimpleFuturesFoundation.
    ///
    /// The iteration is canceled as soon as the stream is released and has no subscribers. The token cancels it too,
    /// and the stream at once.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Cancels the iteration and the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func futureStream(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<Element> {
        FutureStream(self, capacity: capacity, cancelToken: cancelToken, fileID: fileID, line: line)
    }
}

extension FutureStream {
    /// Creates a stream of the elements of an asynchronous sequence that need not be `Sendable`.
    ///
    ///     let counts = FutureStream(Observations { model.count }, capacity: 1, cancelToken: token)
    ///
    /// The iteration keeps the sequence and its captures alive. For its end and the rest see
    /// `AsyncSequence.futureStream(capacity:cancelToken:fileID:line:)`.
    ///
    /// - Parameters:
    ///   - sequence: The sequence. It is sent to the task that iterates.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Cancels the iteration and the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public convenience init<S: AsyncSequence>(
        _ sequence: sending S, capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) where S: SendableMetatype, S.AsyncIterator: SendableMetatype, S.Element == T {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let core = core
        core.follow(cancelToken)
        guard core.end == nil else { return }
        let wanted = capacity == 0 ? Future<Void>() : nil
        let task = Task {
            do {
                try await wanted?.value
                for try await element in sequence {
                    // The sequence may ignore a cancellation.
                    guard core.end == nil, !Task.isCancelled else { break }
                    core.pass(.success(element))
                }
            } catch {
                if !Task.isCancelled { core.emit(error: original(unboxed(error))) }
            }
            // If the task was canceled, the sequence has not really ended.
            if Task.isCancelled { core.cancelAsTarget() } else { core.finish() }
        }
        core.setWork(Iteration(task, into: core, wanted))
    }
}

/// The task that iterates over a sequence: at once, or when a future succeeds.
private final class Iteration: StreamWork {
    private let task: Task<Void, Never>
    private let wanted: Future<Void>?
    // The stream holds its work, hence weak. A variable, because compilers before 6.3 do not support weak constants; it
    // is never reassigned.
    private nonisolated(unsafe) weak var core: StreamCore?

    init(_ task: Task<Void, Never>, into core: StreamCore, _ wanted: Future<Void>?) {
        (self.task, self.core, self.wanted) = (task, core, wanted)
    }

    func listenersHaveChanged() {
        guard let wanted, let core else { return }
        // If callbacks wait for the end alone, it begins when no other subscriber can come.
        if core.listeners.hadAny || !core.isHeld && core.subscriberCount > 0 { wanted.trySuccess(()) }
    }

    // Has no effect on a task that has ended.
    func stop() { task.cancel() }
}
