public import SimpleFutures

// Streams of sources that call back repeatedly and can be stopped: a delegate, an observer, a subscription.

extension FutureStream {
    /// Creates a stream that starts its source at once or for the first subscriber, and stops it after the last one.
    ///
    ///     extension Sensor {
    ///         func temperatures(cancelToken: CancelToken = .none) -> FutureStream<Double> {
    ///             FutureStream(capacity: 1, cancelToken: cancelToken) { emitter in
    ///                 let id = self.observe { emitter.success($0) }
    ///                 return CancelAction { self.removeObserver(id) }
    ///             }
    ///         }
    ///     }
    ///
    /// The closure starts the source and returns a handle that stops it. With a replay buffer this call starts the
    /// source, so that the buffer also gets elements that come before the first subscriber; otherwise the first
    /// subscriber does. When the last subscriber has left, the handle is canceled, once. The next subscriber
    /// starts the source again; a start still in progress then emits nothing more and is stopped first. A derived
    /// stream counts as a subscriber until its own subscribers have left and it is released, or its token is canceled.
    /// Callbacks for the end only, `onFinish` and `onCancel`, do not count.
    ///
    /// The source is stopped for good when the stream has ended. Canceling the token cancels the stream at once;
    /// releasing a stream without subscribers finishes it. The source must hold the emitter, for example in a delegate
    /// or a closure: when the emitter is released, the stream finishes. If nothing holds it when the closure returns,
    /// and it has emitted nothing, `FuturesDiagnostics` reports that. A running source keeps the stream alive, and
    /// the stream keeps the closure's captures alive.
    ///
    /// Starts and stops run one at a time, outside locks: on the context if you pass one, such as the queue that the
    /// source uses; otherwise on the thread that causes them. If another thread is just starting or stopping the
    /// source, that thread does the next step too. A subscriber that leaves during an emission does not stop the source
    /// on that thread, but on a global queue: so stopping may wait, with `queue.sync`, for the queue that the source
    /// emits on. Don't finish the stream on that queue then, nor release the emitter there: both stop the source at once.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers. With 0 the source starts for the
    ///     first subscriber, with more it starts now. It must not be negative.
    ///   - cancelToken: Stops the source and cancels the stream.
    ///   - context: Starts and stops the source: a queue, an `ActorContext`; nil for the thread that causes it. An
    ///     `ImmediateContext` does so even inside an emission.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - start: Starts the source, and returns a handle that stops it; nil if there is nothing to stop: such a closure
    ///     begins with `emitter -> CancelAction? in`. If it throws, the error is a failure, after which the stream
    ///     finishes.
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
    /// Like ``init(capacity:cancelToken:context:fileID:line:source:)``, for a closure that returns nothing. Elements
    /// that the source emits after the last subscriber has left are dropped.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers. With 0 the source starts for the
    ///     first subscriber, with more it starts now. It must not be negative.
    ///   - cancelToken: Cancels the stream.
    ///   - context: Starts the source: a queue, an `ActorContext`; nil for the thread that causes it.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
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

    /// Creates a stream whose source is started and stopped on the caller's actor.
    ///
    ///     let locations = FutureStream(capacity: 1, isolated: { emitter in
    ///         let delegate = Delegate(emitter)
    ///         manager.delegate = delegate
    ///         manager.startUpdating()
    ///         return CancelAction(keeping: delegate, isolated: { manager.stopUpdating() })
    ///     })
    ///
    /// For sources that are not `Sendable`, for example because they must be used on the main thread. The closure can
    /// use the actor's state like the code around it. Starts and stops run later, one after the other; outside an
    /// actor, on the thread that causes them. For the rest see
    /// ``init(capacity:cancelToken:context:fileID:line:source:)``.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers. With 0 the source starts for the
    ///     first subscriber, with more it starts now. It must not be negative.
    ///   - cancelToken: Stops the source and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - start: Starts the source on the caller's actor, and returns a handle that stops it; nil if there is nothing
    ///     to stop.
    public convenience init<Handle: CancellableHandle>(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext(always) isolated start:
            @escaping @isolated(any) @Sendable (StreamEmitter<T>) throws -> Handle?
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let context = start.isolation.map { ActorContext($0) }
        let start: @Sendable (StreamEmitter<T>) throws -> Handle? = IsolatedCallback.bare(start)
        SourceWork<T>(of: core, on: context, start).begin(under: cancelToken)
    }

    /// Creates a stream whose source is started on the caller's actor, and need not be stopped.
    ///
    /// Like ``init(capacity:cancelToken:fileID:line:isolated:)``, for a closure that returns nothing. Elements that the
    /// source emits after the last subscriber has left are dropped.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers. With 0 the source starts for the
    ///     first subscriber, with more it starts now. It must not be negative.
    ///   - cancelToken: Cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - start: Starts the source on the caller's actor. If it throws, the error is a failure, after which the stream
    ///     finishes.
    @_documentation(visibility: internal)
    public convenience init(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext(always) isolated start:
            @escaping @isolated(any) @Sendable (StreamEmitter<T>) throws -> Void
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let context = start.isolation.map { ActorContext($0) }
        let bare: @Sendable (StreamEmitter<T>) throws -> Void = IsolatedCallback.bare(start)
        let start: SourceWork<T>.Start = { emitter in
            try bare(emitter)
            return nil
        }
        SourceWork<T>(of: core, on: context, start).begin(under: cancelToken)
    }
}
