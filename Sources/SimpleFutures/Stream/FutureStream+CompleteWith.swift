extension FutureStream {
    /// Creates a stream of the elements of another one.
    ///
    /// It ends like the other stream.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - dependent: The stream to take the elements from.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @preconcurrency
    public convenience init(
        capacity: Int = Int.max, context: any ExecutionContext = QueueContext.futuresDefault,
        dependent: FutureStream<T>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        dependent.lead(to: core, under: .none, joins: false)
    }

    /// Also emits the elements of another stream into this one.
    ///
    /// The other stream becomes one more producer, until it ends. Its end alone does not finish this stream: this one
    /// finishes when it has no other producers left, or by ``finish()``. A call with a second stream merges the two. If
    /// one source is canceled, the others continue, and this stream ends as canceled when the last producer has ended.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - stream: The other stream. Its replayed elements are emitted first; inside a callback of the library, when
    ///     that returns. If it is this stream, or takes over this stream's elements by `completeWith` or `merge`, an
    ///     element would circulate forever: ``FuturesError/invalidCompletion`` is emitted instead. Cycles through
    ///     closures, of more than 16 streams, through a stream that 16 or more others have joined since, or joined by
    ///     two threads at the same instant are not detected; such a cycle needs a place where elements are dropped, such
    ///     as ``take(_:cancelToken:fileID:line:)``.
    @preconcurrency @inlinable
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, stream: FutureStream<T>) {
        guard !stream.core.takesOver(core) else {
            return core.completeWithItself()
        }
        guard core.gainProducer() else { return }
        stream.lead(to: core, under: .none, joins: true)
    }

    /// Also emits the elements of another stream into this one, or an error.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - stream: The stream to take the elements from, or an error.
    @preconcurrency
    public func completeWith(
        context: any ExecutionContext = QueueContext.futuresDefault, stream: Try<FutureStream<T>>
    ) {
        switch stream {
        case .success(let stream): completeWith(stream: stream)
        case .failure(let error): failure(error)
        }
    }

    /// Also emits the result of a future into this stream, as soon as there is one.
    ///
    /// The future becomes one more producer, until it is completed. Its completion alone does not finish this stream:
    /// the stream finishes when it has no other producers left, or by ``finish()``. If the future is canceled, the
    /// others continue, and this stream ends as canceled when the last producer has ended.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to emit.
    @preconcurrency @inlinable
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        guard core.gainProducer() else { return }
        future.lead(to: core, under: .none)
    }

    /// Also emits the result of a future into this stream, or an error.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to emit, or an error.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        switch future {
        case .success(let future): completeWith(future: future)
        case .failure(let error): failure(error)
        }
    }

    /// Lets this stream emit into another one, in the role of one of its producers.
    @inlinable
    package func lead(to target: StreamCore, under token: CancelToken, joins: Bool) {
        core.subscribe(.elements, under: token, target: target, joins: joins) { event, target in
            target?.pass(event.result(as: T.self))
        }
    }
}
