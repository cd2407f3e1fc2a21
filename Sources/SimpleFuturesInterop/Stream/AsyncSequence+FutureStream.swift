public import SimpleFutures

extension AsyncSequence where Self: Sendable, AsyncIterator: SendableMetatype, Element: Sendable {
    /// Returns a stream of the elements, for callers that want callbacks.
    ///
    ///     notifications.futureStream(capacity: 0, cancelToken: screen.closed)
    ///         .onSuccess { list.insert($0) }
    ///
    /// A task iterates from now on, and does not wait for those who listen. When the sequence ends, the stream
    /// finishes; what it throws is a failure, and then the stream finishes.
    ///
    /// The iteration is canceled when nobody will see an element any more: when the stream is dropped and nothing is
    /// registered on it, or nothing any longer. It is also canceled by the token; the stream is then canceled too, at
    /// once.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Cancels the iteration and the stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func futureStream(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<Element> {
        FutureStream(self, capacity: capacity, cancelToken: cancelToken, fileID: fileID, line: line)
    }
}

extension FutureStream {
    /// Creates a stream of the elements of an asynchronous sequence that need not be `Sendable`: see
    /// `AsyncSequence.futureStream(capacity:cancelToken:fileID:line:)`.
    ///
    ///     let counts = FutureStream(Observations { model.count }, capacity: 1, cancelToken: token)
    ///
    /// The iteration goes on until the sequence ends or the token is canceled, and keeps the sequence and its captures alive.
    ///
    /// - Parameters:
    ///   - sequence: What to iterate. The task that does takes it over.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Cancels the iteration and the stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public convenience init<S: AsyncSequence>(
        _ sequence: sending S, capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) where S: SendableMetatype, S.AsyncIterator: SendableMetatype, S.Element == T {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let core = core
        guard !cancelToken.isCancelled else {
            core.cancelAsTarget()
            return
        }
        let task = Task {
            do {
                for try await element in sequence { core.pass(.success(element)) }
            } catch {
                if !Task.isCancelled { core.emit(error: error) }
            }
            // A sequence whose task was canceled has not come to its end.
            if Task.isCancelled { core.cancelAsTarget() } else { core.finish() }
        }
        let registration = cancelToken.onCancel {
            core.cancelAsTarget()
            task.cancel()
        }
        // A task that has come to its end is not hurt by it.
        core.setWork {
            registration.cancel()
            task.cancel()
        }
    }
}
