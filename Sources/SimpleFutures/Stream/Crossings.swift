// Conversions from futures to streams and back. Conversions that start with a stream and result in a stream are with
// the streams.

// `flatMap` and `recoverWith` with a stream are disfavored. Otherwise the compiler tries both results, a future and a
// stream, for each call of a chain, and gives up.

extension Futurable {
    /// Returns a stream of the elements of the stream that a closure returns for the value: connect, then listen.
    ///
    ///     let readings: FutureStream<Reading> =
    ///         device.connect().flatMap(capacity: 0) { $0.readings() }
    ///
    /// It finishes when that stream does. A failure of this future is its only element. If this future or that stream
    /// is canceled, so is the new stream.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - context: The context that runs the closure. The inner stream emits into the new one without a thread hop.
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner stream. Either way the new
    ///     stream is canceled.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - mapping: Runs once if this future succeeds. If it throws, the error is the only element.
    @preconcurrency @_disfavoredOverload
    public func flatMap<M: Sendable>(
        capacity: Int = Int.max, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        mapping: @escaping @Sendable (T) throws -> FutureStream<M>
    ) -> FutureStream<M> {
        requireCapacity(capacity, fileID, line)
        return map(context: context, cancelToken: cancelToken, mapping: mapping)
            .flattened(capacity: capacity, under: cancelToken)
    }

    /// Returns a stream of the value, or of the elements of the stream that a closure returns for the error.
    ///
    /// It finishes after the value, or when that stream does. If this future or that stream is canceled, so is the new
    /// stream.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - context: The context that runs the closure. The inner stream emits into the new one without a thread hop.
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner stream. Either way the new
    ///     stream is canceled.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - recovery: Runs once if this future fails. If it throws, the error is the only element.
    @preconcurrency @_disfavoredOverload
    public func recoverWith(
        capacity: Int = Int.max, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        recovery: @escaping @Sendable (any Error) throws -> FutureStream<T>
    ) -> FutureStream<T> {
        requireCapacity(capacity, fileID, line)
        return map(context: ImmediateContext(), cancelToken: cancelToken) { FutureStream(only: $0) }
            .recover(context: context, cancelToken: cancelToken, recovery: recovery)
            .flattened(capacity: capacity, under: cancelToken)
    }
}

extension Future {
    /// Completes this future with the first element of a stream, and unsubscribes from the stream.
    ///
    /// If the stream finishes without an element, this future fails with ``FuturesError/noSuchElement``; if the stream
    /// is canceled, so is this future. The stream is one of its producers: if this future is completed in another way,
    /// it unsubscribes from the stream too. Until then the stream keeps it alive, even if your code does not:
    /// `stream.first()` returns a future that leaves the stream.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - stream: The stream to take the first element from. An element in its replay buffer counts.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, stream: FutureStream<T>) {
        if phase == .pending { completeWith(future: stream.first()) }
    }

    /// Lets this future emit into a stream, in the role of one of its producers.
    @inlinable
    package func lead(to target: StreamCore, under token: CancelToken) {
        lead(to: target, under: token) { source, target in
            if let result = source.settledResult(as: T.self) { target.pass(result) }
        }
    }

    /// Returns a stream of the inner stream's elements, or of the error.
    fileprivate func flattened<M: Sendable>(capacity: Int, under token: CancelToken) -> FutureStream<M>
    where T == FutureStream<M> {
        let derived = FutureStream<M>(producedWith: capacity)
        lead(to: derived.core, under: .none) { source, core in
            switch source.settledResult(as: T.self) {
            case .success(let inner):
                guard inner.core !== core else { return core.completeWithItself() }
                if core.gainProducer() { inner.lead(to: core, under: token, joins: false) }
            case .failure(let error): core.emit(error: error)
            case nil: break
            }
        }
        return derived
    }
}

extension FutureStream {
    /// Returns a future of the first element, a value or an error, and unsubscribes after it.
    ///
    ///     let position = positions.first()
    ///
    /// An element in the replay buffer counts. If the stream finishes without an element, the future fails with
    /// ``FuturesError/noSuchElement``; if the stream is canceled, so is the future. It also unsubscribes when the future has
    /// no waiters and is released.
    ///
    /// - Parameter cancelToken: Unsubscribes from the stream, and cancels the future.
    public func first(cancelToken: CancelToken = .none) -> Future<T> {
        let head = FutureStream(producedWith: 1)
        core.subscribe(.elements, under: cancelToken, target: head.core) { event, head in
            head?.passLast { head?.pass(event.result(as: T.self)) }
        }
        return head.asFuture()
    }

    /// Returns a future that combines all values with a closure, and is completed when the stream finishes.
    ///
    ///     let size = chunks.reduce(0) { $0 + $1.count }
    ///
    /// The first failure fails the future and unsubscribes from the stream; a canceled stream cancels it. If the stream
    /// never finishes, the future stays pending: see ``scan(_:context:cancelToken:_:)``. It also unsubscribes, and calls
    /// the closure no more, when the future has no waiters and is released.
    ///
    /// - Parameters:
    ///   - initial: The value to combine with the first value, and the result if there are no values.
    ///   - context: Runs the closure, for one value at a time.
    ///   - cancelToken: Cancels the closure and the future.
    ///   - combine: Runs once per value. If it throws, the future fails.
    public func reduce<R: Sendable>(
        _ initial: R, context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ combine: @escaping @Sendable (R, T) throws -> R
    ) -> Future<R> {
        reduce(into: initial, context: context, cancelToken: cancelToken) { $0 = try combine($0, $1) }
    }

    /// Returns a future that combines all values with a closure that changes the result in place.
    ///
    ///     let all = positions.reduce(into: []) { $0.append($1) }
    ///
    /// Like ``reduce(_:context:cancelToken:_:)``, for a result that is expensive to copy, such as an array or a
    /// dictionary.
    ///
    /// - Parameters:
    ///   - initial: The value to change first, and the result if there are no values.
    ///   - context: Runs the closure, for one value at a time.
    ///   - cancelToken: Cancels the closure and the future.
    ///   - update: Runs once per value, and changes the result. If it throws, the future fails.
    public func reduce<R: Sendable>(
        into initial: R, context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ update: @escaping @Sendable (inout R, T) throws -> Void
    ) -> Future<R> {
        let last = Memory(initial)
        let answer = FutureStream<R>(producedWith: 1)
        core.subscribe(.everything, on: context, under: cancelToken, target: answer.core) { event, answer in
            switch event.signal {
            case .success:
                do { try update(&last.value, event.value(as: T.self)) } catch { answer?.fail(error) }
            case .failure: if let error = event.error { answer?.fail(error) }
            case .finish:
                answer?.pass(.success(last.value))
                answer?.finish()
            case .cancellation: answer?.cancelAsTarget()
            }
        }
        return answer.asFuture()
    }

    /// Returns a future of the only element of a derived stream, whose subscription to its source is under the token.
    ///
    /// The stream keeps an element that comes before its subscriber, which runs no code of the user's: so the future ends
    /// at once, inside of callbacks too.
    fileprivate func asFuture() -> Future<T> {
        let future = Future<T>()
        let lifeline = Lifeline(of: future)
        let sink = Subscriber(.everything) { event, _ in
            if let future = lifeline.future { event.complete(future, as: T.self) }
        }
        core.subscribe(sink: sink)
        lifeline.atEnd { [core] in core.cancelAsTarget() }
        return withExtendedLifetime(self) { future }
    }

    /// Creates a finished stream of one value.
    fileprivate convenience init(only value: T) {
        self.init(value: value)
        finish()
    }
}

extension StreamCore {
    /// Emits an error and finishes.
    fileprivate func fail(_ error: any Error) {
        emit(error: error)
        finish()
    }
}

extension StreamEvent {
    /// Completes a future with the element, or with an error for the end of a stream without elements.
    fileprivate func complete<T: Sendable>(_ future: AnyFuture, as type: T.Type) {
        let future = future.future(of: type)
        switch signal {
        case .success, .failure: future.settle(result(as: type))
        case .finish: future.settle(.failure(FuturesError.noSuchElement))
        case .cancellation: future.cancelAsTarget()
        }
    }
}
