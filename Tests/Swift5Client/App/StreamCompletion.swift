import SimpleFutures

/// Shows what comes in, until it has left the screen.
class Ticker {
    private let cancelToken = CancelToken()
    private let source: FutureStream<Report>
    private let context: ExecutionContext
    var lines = [String]()

    init(_ source: FutureStream<Report>, context: ExecutionContext) {
        self.source = source
        self.context = context
    }

    func appear(_ details: @escaping (Report) -> FutureStream<String>) {
        source.onSuccess(context: context, cancelToken: cancelToken) { report in
            self.lines.append(report.city)
        }
        source.onFailure(context: context, cancelToken: cancelToken) { error in
            self.lines.append("\(error)")
        }
        source.onComplete(context: context, cancelToken: cancelToken) { [weak self] result in
            switch result {
            case .success(let report):
                self?.lines.append("\(report.degrees)°")
            case .failure:
                self?.lines.append("?")
            }
        }
        let mappedStream = source.flatMap(context: context, cancelToken: cancelToken) { report in
            details(report)
        }
        mappedStream.onSuccess(context: context, cancelToken: cancelToken) { text in
            self.lines.append(text)
        }
        mappedStream.onFailure(context: context, cancelToken: cancelToken) { [unowned self] error in
            self.lines.append("no details: \(error)")
        }
    }

    func disappear() -> Bool {
        return source.cancel(cancelToken)
    }
}

/// On the default context, with local state.
func countBoth(_ stream: FutureStream<Int>, until last: Int, completion: @escaping (Int, Int) -> Void) {
    var values = 0
    var errors = 0
    stream.onSuccess { _ in values += 1 }
    stream.onFailure { _ in errors += 1 }
    stream.onComplete { result in
        if result.value == last { completion(values, errors) }
    }
}

func forward<Value>(
    _ stream: FutureStream<Value>, success: @escaping (Value) -> Void, failure: @escaping (Error) -> Void
) {
    stream.onSuccess(context: ImmediateContext(), completion: success)
    stream.onFailure(context: ImmediateContext(), completion: failure)
}
