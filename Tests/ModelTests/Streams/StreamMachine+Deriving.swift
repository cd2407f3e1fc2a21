import SimpleFutures
import SimpleFuturesInterop

extension StreamMachine {
    func derive(
        _ id: Int, _ transform: StreamProgram.Transform, _ source: FutureStream<Payload>,
        _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<Payload> {
        let pause = Duration.seconds(StreamProgram.pause)
        switch transform {
        case .take: return source.take(StreamProgram.slice, cancelToken: token)
        case .drop: return source.drop(StreamProgram.slice, cancelToken: token)
        case .debounce: return source.debounce(pause, context: places.manual, cancelToken: token)
        case .throttle: return source.throttle(pause, context: places.manual, cancelToken: token)
        case .throttleFirst:
            return source.throttle(pause, latest: false, context: places.manual, cancelToken: token)
        case .timeout: return source.timeout(pause, context: places.manual, cancelToken: token)
        default: break
        }
        let captured = capture(id)
        switch transform {
        case .map:
            return source.map(context: context, cancelToken: token) { captured.passing($0.adding(100)) }
        case .mapThrowing:
            return source.map(context: context, cancelToken: token) { value -> Payload in
                throw Fault(payload: captured.passing(value.adding(200)))
            }
        case .filterEven:
            return source.withFilter(context: context, cancelToken: token) {
                captured.passing($0.number.isMultiple(of: 2))
            }
        case .compactMapEven:
            return source.compactMap(context: context, cancelToken: token) {
                captured.passing($0.number.isMultiple(of: 2) ? $0 : nil)
            }
        case .andThen: return source.andThen(context: context, cancelToken: token) { _ in captured.use() }
        case .recover:
            return source.recover(context: context, cancelToken: token) { captured.making(End($0).number + 300) }
        case .mapError:
            return source.mapError(context: context, cancelToken: token) {
                Fault(payload: captured.making(End($0).number + 500))
            }
        case .scan:
            return source.scan(captured.making(0), context: context, cancelToken: token) {
                try captured.making(StreamProgram.scanned($0.number, $1.number))
            }
        case .distinct:
            return source.distinct(context: context, cancelToken: token) { last, new in
                captured.use()
                guard let areSame = StreamProgram.areSame(last.number, new.number) else {
                    throw Fault(payload: new.adding(800))
                }
                return areSame
            }
        case .take, .drop, .debounce, .throttle, .throttleFirst, .timeout: preconditionFailure("made above")
        }
    }

    func pair(
        _ pairing: StreamProgram.Pairing, _ first: FutureStream<Payload>, _ second: FutureStream<Payload>,
        _ token: CancelToken
    ) -> FutureStream<Payload> {
        let census = census
        let pairs =
            switch pairing {
            case .zip: first.zip(second, cancelToken: token)
            case .combineLatest: first.combineLatest(second, cancelToken: token)
            case .withLatest: first.withLatest(from: second, cancelToken: token)
            }
        return pairs.map(context: ImmediateContext()) { first, second in
            try StreamProgram.paired(.success(first.number), .success(second.number)).payload(census)
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
}
