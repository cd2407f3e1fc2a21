import SimpleFutures

// Streams from nothing, from values, and from what a closure makes.

func emptyStreams() -> [FutureStream<Report>] {
    return [FutureStream(), FutureStream<Report>(capacity: 2), StreamPromise<Report>().stream]
}

func forecast(_ report: Report) -> FutureStream<Report> {
    let stream = FutureStream(value: report, capacity: 2)
    stream.success(Report(city: report.city, degrees: report.degrees + 1))
    stream.failure(WeatherError.offline)
    stream.complete(.success(Report(city: report.city, degrees: report.degrees + 2)))
    return stream
}

func unavailable<Value>(_ type: Value.Type, capacity: Int) -> FutureStream<Value> {
    return FutureStream<Value>(error: WeatherError.offline, capacity: capacity)
}

func announced(_ report: Report?) -> FutureStream<Report> {
    guard let report = report else { return FutureStream(error: WeatherError.unknownCity) }
    return FutureStream(value: report)
}

func copy<Value>(_ stream: FutureStream<Value>, capacity: Int) -> FutureStream<Value> {
    return FutureStream(capacity: capacity, context: ImmediateContext(), dependent: stream)
}

func copy<Value>(_ stream: FutureStream<Value>) -> FutureStream<Value> {
    return FutureStream(dependent: stream)
}

func resolved(_ reports: [Report], capacity: Int) -> FutureStream<Report> {
    return FutureStream(capacity: capacity) { complete in
        for report in reports { complete(.success(report)) }
        throw WeatherError.offline
    }
}

func parsed(_ text: String, context: ExecutionContext) -> FutureStream<Int> {
    return futureStream(context: context) {
        guard let number = Int(text) else {
            throw WeatherError.unknownCity
        }
        return number
    }
}

/// Runs where streams run by default.
func parsed(_ text: String) -> FutureStream<Int?> {
    return futureStream { Int(text) }
}

/// What a stream has brought until now.
func summary<Value>(of stream: FutureStream<Value>) -> String {
    let successes = stream.futures.filter { $0.result?.isSuccess() ?? false }
    return "\(successes.count) of \(stream.count)"
}

/// Publishes to whoever asks, whatever it is.
class Subject<Value> {
    private let promise: StreamPromise<Value>
    private(set) var published = 0

    init(capacity: Int) {
        promise = StreamPromise(capacity: capacity)
    }

    var stream: FutureStream<Value> {
        return promise.stream
    }

    func publish(_ value: Value) {
        published += 1
        promise.success(value)
    }

    func publish(_ result: Try<Value>) {
        published += 1
        promise.complete(result)
    }

    func fail(_ error: Error) {
        promise.failure(error)
    }
}
