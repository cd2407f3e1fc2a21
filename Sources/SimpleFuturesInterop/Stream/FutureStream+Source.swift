public import SimpleFutures

// Streams of what calls back again and again, and can be stopped: a delegate, an observer, a subscription.

extension FutureStream {
    /// Creates a stream that starts its source for the first subscriber and stops it after the last one.
    ///
    ///     extension Thermometer {
    ///         func temperatures(cancelToken: CancelToken = .none) -> FutureStream<Double> {
    ///             FutureStream(capacity: 1, cancelToken: cancelToken) { emitter in
    ///                 let id = self.observe { emitter.success($0) }
    ///                 return CancelAction { self.removeObserver(id) }
    ///             }
    ///         }
    ///     }
    ///
    /// The closure starts the source and returns what stops it. If the stream keeps a history, it is called by this
    /// call, so that the history has what comes before anybody listens; otherwise by the first who subscribes. When the
    /// last one who gets elements has left, the source is stopped: the handle is canceled, once. The next one who
    /// subscribes has it started again; if the start was still under way, that one emits nothing more, and is stopped
    /// first. A derived stream counts until its own subscribers have left, or its token is canceled. A callback for the
    /// end alone, `onFinish` or `onCancel`, does not count.
    ///
    /// The source is stopped for good when the stream has ended; when the stream is dropped and nobody gets elements,
    /// which finishes it; and by the token, which cancels the stream at once. Whoever started it must keep the emitter,
    /// as a delegate or a closure does: when the emitter is released the stream finishes. As long as the source runs, it
    /// keeps the stream, and the stream what the closure has captured.
    ///
    /// Starting and stopping run one at a time, outside of locks: on the context, if you name one, such as the queue
    /// that the source belongs to; otherwise on the thread that was the reason for it. A source is never stopped inside
    /// of an emission of its own, when a subscriber leaves there, but on a global queue: it may wait, with `queue.sync`,
    /// for the queue that it emits on. If another thread is just doing the one, it also does the other, as soon as that
    /// is done.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Stops the source and cancels the stream.
    ///   - context: Where the source is started and stopped: a queue, an `ActorContext`; nil for where the reason
    ///     arises.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - start: Starts the source, and returns what stops it; nil if there is nothing to stop. What it throws is a
    ///     failure, after which the stream finishes.
    public convenience init<Handle: CancellableHandle>(
        capacity: Int, cancelToken: CancelToken = .none, context: (any ExecutionContext)? = nil,
        fileID: StaticString = #fileID, line: UInt = #line,
        source start: @escaping @Sendable (StreamEmitter<T>) throws -> Handle?
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        SourceWork<T>(of: core, on: context, start).begin(under: cancelToken)
    }

    /// Creates a stream that starts its source for the first subscriber; the source need not be stopped.
    ///
    /// It is ``init(capacity:cancelToken:context:fileID:line:source:)`` for a closure that returns nothing. What the
    /// source emits after the last subscriber has left is dropped.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Cancels the stream.
    ///   - context: Where the source is started: a queue, an `ActorContext`; nil for where the reason arises.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - start: Starts the source. If it throws, the error is a failure, after which the stream finishes.
    @_documentation(visibility: internal)
    public convenience init(
        capacity: Int, cancelToken: CancelToken = .none, context: (any ExecutionContext)? = nil,
        fileID: StaticString = #fileID, line: UInt = #line,
        source start: @escaping @Sendable (StreamEmitter<T>) throws -> Void
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let start: SourceWork<T>.Start = { emitter in
            try start(emitter)
            return nil
        }
        SourceWork<T>(of: core, on: context, start).begin(under: cancelToken)
    }

    /// Creates a stream whose source belongs to the caller's actor, and is started and stopped there.
    ///
    ///     FutureStream(capacity: 1, isolated: { emitter in
    ///         let delegate = Delegate(emitter)
    ///         manager.delegate = delegate
    ///         manager.startUpdating()
    ///         return CancelAction(keeping: delegate, isolated: { manager.stopUpdating() })
    ///     })
    ///
    /// For sources that are not `Sendable`, since they belong to the main thread for instance. The closure may use what
    /// the code around it uses; it runs later, as does what stops the source, one after the other. For the rest see
    /// ``init(capacity:cancelToken:context:fileID:line:source:)``.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Stops the source and cancels the stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - start: Starts the source, and returns what stops it; nil if there is nothing to stop. It runs on the
    ///     caller's actor.
    public convenience init<Handle: CancellableHandle>(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext isolated start: @escaping @isolated(any) @Sendable (StreamEmitter<T>) throws -> Handle?
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let context = start.isolation.map { ActorContext($0) }
        let start: @Sendable (StreamEmitter<T>) throws -> Handle? = IsolatedCallback.bare(start)
        SourceWork<T>(of: core, on: context, start).begin(under: cancelToken)
    }
}
