extension FutureStream {
    /// Creates a stream of the elements of another one.
    ///
    /// It ends as the other one does.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - dependent: The stream whose elements to take over.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    @preconcurrency
    public convenience init(
        capacity: Int = Int.max, context: any ExecutionContext = QueueContext.futuresDefault,
        dependent: FutureStream<T>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        dependent.lead(to: core, under: .none, joins: false)
    }

    /// Emits what another stream emits, beside whatever else is emitted into this one.
    ///
    /// The other stream becomes one more producer, until it ends. It does not finish this one by itself: this stream
    /// finishes when its other producers have gone too, or by ``finish()``. A call with a second stream merges the two.
    /// If one of the sources is canceled, the others go on, and this stream ends canceled when the last producer has
    /// gone.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - stream: The other stream. Its replayed elements are emitted first. A stream that is told to
    ///     complete with itself, or with one that by `completeWith` or `merge` takes over its own elements, gets
    ///     ``FuturesError/invalidCompletion`` as an element: each element would go round for ever. A ring that goes
    ///     through closures, or has more than 16 streams, is not looked for; it needs a place where elements are left out, such as
    ///     ``take(_:cancelToken:fileID:line:)``.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, stream: FutureStream<T>) {
        guard !stream.core.takesOver(core) else {
            return core.emitInvalidCompletion { .completedWithItself(createdAt: $0) }
        }
        guard core.gainProducer() else { return }
        stream.lead(to: core, under: .none, joins: true)
    }

    /// Emits what another stream emits, or the error if there is no stream.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - stream: The stream whose elements to take over, or why there is none.
    @preconcurrency
    public func completeWith(
        context: any ExecutionContext = QueueContext.futuresDefault, stream: Try<FutureStream<T>>
    ) {
        switch stream {
        case .success(let stream): completeWith(stream: stream)
        case .failure(let error): failure(error)
        }
    }

    /// Emits what a future is completed with, as soon as it is, beside whatever else is emitted into this stream.
    ///
    /// The future becomes one more producer, until it is completed. It does not finish the stream by itself: this
    /// stream finishes when its other producers have gone too, or by ``finish()``. If the future is canceled, the
    /// others go on, and this stream ends canceled when the last producer has gone.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to emit.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        guard core.gainProducer() else { return }
        future.lead(to: core, under: .none)
    }

    /// Emits what a future is completed with, or the error if there is no future.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to emit, or why there is none.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        switch future {
        case .success(let future): completeWith(future: future)
        case .failure(let error): failure(error)
        }
    }

    /// Makes this stream a source of another one, of which it takes over a producer.
    @usableFromInline
    package func lead(to target: StreamCore, under token: CancelToken, joins: Bool) {
        core.subscribe(.elements, under: token, target: target, joins: joins) { event, target in
            target?.pass(event.result(as: T.self))
        }
    }
}
