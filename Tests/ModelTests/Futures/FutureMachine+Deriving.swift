import SimpleFutures
import SimpleFuturesInterop

extension FutureMachine {
    func derive(
        _ id: Int, _ transform: FutureProgram.Transform, _ source: Future<Payload>, _ context: any ExecutionContext,
        _ token: CancelToken
    ) -> Future<Payload> {
        if transform == .asyncMap {
            return source.asyncMap(cancelToken: token) { value async in value.adding(100) }
        }
        let captured = capture(id)
        switch transform {
        case .map:
            return source.map(context: context, cancelToken: token) { captured.passing($0.adding(100)) }
        case .mapThrowing:
            return source.map(context: context, cancelToken: token) { value -> Payload in
                throw Fault(payload: captured.passing(value.adding(200)))
            }
        case .filterOut:
            return source.withFilter(context: context, cancelToken: token) { _ in captured.passing(false) }
        case .compactMapEven:
            return source.compactMap(context: context, cancelToken: token) {
                captured.passing($0.number.isMultiple(of: 2) ? $0.adding(600) : nil)
            }
        case .ensure:
            return source.ensure(context: context) { [self] in
                captured.use()
                noteEnsured(id)
            }
        case .materialize:
            return source.materialize().map(context: context) { try captured.making(transform.applied(to: End($0))) }
        case .asVoid:
            return source.asVoid().map(context: context) { try captured.making(transform.applied(to: .success(0))) }
        case .andThen: return source.andThen(context: context, cancelToken: token) { _ in captured.use() }
        case .recover:
            return source.recover(context: context, cancelToken: token) { captured.making(End($0).number + 300) }
        case .recoverThrowing:
            return source.recover(context: context, cancelToken: token) { error -> Payload in
                throw Fault(payload: captured.making(End(error).number + 400))
            }
        case .mapError:
            return source.mapError(context: context, cancelToken: token) {
                Fault(payload: captured.making(End($0).number + 500))
            }
        case .asyncMap: preconditionFailure("made above")
        }
    }

    func gather(
        _ id: Int, _ gathering: FutureProgram.Gathering, _ inputs: [Future<Payload>], _ context: any ExecutionContext
    ) -> Future<Payload> {
        let here = ImmediateContext()
        let census = census
        @Sendable func sum(_ values: [Payload]) -> Payload {
            Payload(FutureProgram.Gathering.sum(values.map { .success($0.number) }), census)
        }
        switch gathering {
        case .zip:
            guard inputs.count == 2 else { return inputs.sequence().map(context: here) { sum($0) } }
            return SimpleFutures.zip(inputs[0], inputs[1]).map(context: here) { sum([$0, $1]) }
        case .sequence: return inputs.sequence().map(context: here) { sum($0) }
        case .traverse: return inputs.traverse(context: here) { $0 }.map(context: here) { sum($0) }
        case .firstCompleted: return inputs.firstCompleted()
        case .firstSucceeded: return inputs.firstSucceeded()
        case .settled:
            return inputs.settled().map(context: here) { results in
                Payload(FutureProgram.Gathering.sum(results.map { End($0) }), census)
            }
        case .fold:
            let captured = capture(id)
            return inputs.fold(context: context, initial: Payload(0, census)) { [self] sum, value in
                captured.use()
                noteCall(id, value)
                return try FutureProgram.Gathering.folded(sum.number, value.number).payload(census)
            }
        case .find:
            let captured = capture(id)
            return inputs.find(context: context) { [self] value in
                captured.use()
                noteCall(id, value)
                return try gathering.found(.success(value.number))?.payload(census) != nil
            }
        }
    }

    func retry(
        _ id: Int, _ inputs: [Future<Payload>], hasDelay: Bool, _ context: any ExecutionContext, _ token: CancelToken
    ) -> Future<Payload> {
        let captured = capture(id)
        let attempts = Lock(0)
        return Future.retry(
            inputs.count, delay: .seconds(hasDelay ? 1 : 0), context: context, cancelToken: token,
            while: { FutureProgram.shouldRetry(End($0)) }
        ) {
            captured.use()
            return attempts.withLock { attempt in
                defer { attempt += 1 }
                return inputs[attempt]
            }
        }
    }

    func wait(_ id: Int, for future: Future<Payload>, cancelling token: CancelToken?, _ abandons: Bool)
        -> Task<Void, Never>
    {
        Task { [self] in
            guard let token else { return noteOutcome(id, End(await future.outcome)) }
            noteOutcome(id, End(await future.outcome(cancelling: token, onCancel: abandons ? .abandon : .wait)))
        }
    }

    func listen(
        _ id: Int, to source: Future<Payload>, number: Int, _ kind: FutureProgram.Kind, on place: Place,
        under token: CancelToken, completing target: Int?
    ) {
        let captured = capture(id)
        let context = places[place]
        let hear: @Sendable (End) -> Void = { [self] end in
            jitter?.pass()
            captured.use()
            note(id, end, future: number, on: place)
            if let target, let promise = promise(target) { answer(id, promise.trySuccess(traces.payload(id))) }
        }
        switch kind {
        case .complete: source.onComplete(context: context, cancelToken: token) { hear(End($0)) }
        case .success: source.onSuccess(context: context, cancelToken: token) { hear(.success($0.number)) }
        case .failure: source.onFailure(context: context, cancelToken: token) { hear(End($0)) }
        case .cancel: source.onCancel(context: context) { hear(.cancelled) }
        }
    }
}
