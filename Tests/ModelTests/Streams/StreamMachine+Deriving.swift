import SimpleFutures
import SimpleFuturesInterop

extension StreamMachine {
    func derive(
        _ id: Int, _ transform: StreamProgram.Transform, _ source: FutureStream<Payload>,
        _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<Payload> {
        switch transform {
        case .take: return source.take(StreamProgram.slice, cancelToken: token)
        case .drop: return source.drop(StreamProgram.slice, cancelToken: token)
        default: break
        }
        let captured = capture(id)
        let census = census
        switch transform {
        case .map:
            return source.map(context: context, cancelToken: token) {
                captured.use()
                return $0.adding(100)
            }
        case .mapThrowing:
            return source.map(context: context, cancelToken: token) { value -> Payload in
                captured.use()
                throw Fault(payload: value.adding(200))
            }
        case .filterEven:
            return source.withFilter(context: context, cancelToken: token) {
                captured.use()
                return $0.number.isMultiple(of: 2)
            }
        case .compactMapEven:
            return source.compactMap(context: context, cancelToken: token) { value -> Payload? in
                captured.use()
                return value.number.isMultiple(of: 2) ? value : nil
            }
        case .andThen: return source.andThen(context: context, cancelToken: token) { _ in captured.use() }
        case .recover:
            return source.recover(context: context, cancelToken: token) { error in
                captured.use()
                return Payload(End(error).number + 300, census)
            }
        case .mapError:
            return source.mapError(context: context, cancelToken: token) { error in
                captured.use()
                return Fault(payload: Payload(End(error).number + 500, census))
            }
        case .take, .drop: preconditionFailure("made above")
        }
    }

    func listen(
        _ id: Int, to source: FutureStream<Payload>, _ kind: StreamProgram.Kind, on context: any ExecutionContext,
        under token: CancelToken
    ) {
        let captured = capture(id)
        let hear: @Sendable (End) -> Void = { [self] end in
            jitter?.pass()
            captured.use()
            note(id, end)
        }
        switch kind {
        case .elements: source.onComplete(context: context, cancelToken: token) { hear(End($0)) }
        case .success: source.onSuccess(context: context, cancelToken: token) { hear(.success($0.number)) }
        case .failure: source.onFailure(context: context, cancelToken: token) { hear(End($0)) }
        case .finish: source.onFinish(context: context, cancelToken: token) { hear(.finished) }
        case .cancel: source.onCancel(context: context) { hear(.cancelled) }
        }
    }

    /// Subscribes now, and iterates in a task.
    func iterate(_ id: Int, _ loop: StreamProgram.Loop, over stream: FutureStream<Payload>, _ limit: Int?)
        -> Task<Void, Never>
    {
        switch loop {
        case .results:
            let iterator = stream.results.makeAsyncIterator()
            return Task { [self] in
                await iterate(id, iterator, limit)
                noteEnd(id)
            }
        case .values:
            let subscription = stream.subscription()
            return Task { [self] in
                await iterate(id, subscription, limit)
                noteEnd(id)
            }
        }
    }

    private func iterate(_ id: Int, _ iterator: FutureStreamResults<Payload>.Iterator, _ limit: Int?) async {
        var iterator = iterator
        var count = 0
        while let result = await iterator.next() {
            note(id, End(result))
            count += 1
            if count == limit || End(result) == .cancellationError { return }
        }
        note(id, .finished)
    }

    private func iterate(_ id: Int, _ subscription: FutureStreamSubscription<Payload>, _ limit: Int?) async {
        var count = 0
        do {
            for try await value in subscription {
                note(id, .success(value.number))
                count += 1
                if count == limit { return }
            }
            note(id, .finished)
        } catch {
            note(id, End(error))
        }
    }
}
