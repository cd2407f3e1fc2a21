import SimpleFutures

// Methods that call their closure repeatedly, and streams of their values.

class Gauge {
    private var onTemperature: ((Int?, Error?) -> Void)?
    private var onPressure: ((Int, Error?) -> Void)?
    private var onAlarm: ((Error?) -> Void)?
    private var onRain: ((Report) -> Void)?
    private(set) var cities = [String]()

    func temperature(_ update: @escaping (Int?, Swift.Error?) -> Void) { onTemperature = update }

    func pressure(_ update: @escaping (Int, Error?) -> Void) { onPressure = update }

    func alarm(_ update: @escaping (Error?) -> Void) { onAlarm = update }

    func rain(_ update: @escaping (Report) -> Void) { onRain = update }

    func reports(of city: String, update: @escaping (Report?, Error?) -> Void) {
        cities.append(city)
        for degrees in 1...3 { update(Report(city: city, degrees: degrees), nil) }
        update(nil, WeatherError.offline)
    }

    /// Simulates a measurement.
    func measure(_ degrees: Int?, _ error: Error?) {
        onTemperature?(degrees, error)
        onPressure?(degrees ?? 0, error)
        onAlarm?(error)
        onRain?(Report(city: "Rain", degrees: degrees ?? 0))
    }

    func switchOff() {
        onTemperature = nil
        onPressure = nil
        onAlarm = nil
        onRain = nil
    }
}

extension Gauge {
    func temperatureStream() -> FutureStream<Int?> { return futureStream(method: temperature) }

    func pressureStream() -> FutureStream<Int> { return futureStream(method: pressure) }

    func alarmStream() -> FutureStream<Void> { return futureStream(method: alarm) }

    func rainStream() -> FutureStream<Report> { return futureStream(method: rain) }

    func reportStream(of city: String) -> FutureStream<Report?> {
        return futureStream(method: { self.reports(of: city, update: $0) })
    }
}

/// As in the documentation, without annotations.
func warnings(_ gauge: Gauge, context: ExecutionContext) -> FutureStream<String> {
    let mappedStream = futureStream(method: gauge.pressure).map(context: context) { value -> String in
        guard value < 1000 else { throw WeatherError.tooCold(value) }
        return "\(value)"
    }
    return mappedStream
}

// Streams from nothing, from values, and from closures.

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
        guard let number = Int(text) else { throw WeatherError.unknownCity }
        return number
    }
}

/// Runs on the default context of streams.
func parsed(_ text: String) -> FutureStream<Int?> { return futureStream { Int(text) } }

/// The elements of a stream so far.
func summary<Value>(of stream: FutureStream<Value>) -> String {
    let successes = stream.futures.filter { $0.result?.isSuccess() ?? false }
    return "\(successes.count) of \(stream.count)"
}

/// Publishes values of any type to subscribers.
class Subject<Value> {
    private let promise: StreamPromise<Value>
    private(set) var published = 0

    init(capacity: Int) { promise = StreamPromise(capacity: capacity) }

    var stream: FutureStream<Value> { return promise.stream }

    func publish(_ value: Value) {
        published += 1
        promise.success(value)
    }

    func publish(_ result: Try<Value>) {
        published += 1
        promise.complete(result)
    }

    func fail(_ error: Error) { promise.failure(error) }
}

/// A channel that is handed out before its content is known.
class Channel {
    let anotherFutureStream = FutureStream<Int>()
    let promise = StreamPromise<Int>(capacity: 5)
    private(set) var sources = 0

    /// As in the documentation.
    func open(with gauge: Gauge, and station: Station) {
        sources += 2
        let dependentFuture = future(method: station.pressure)
        anotherFutureStream.completeWith(future: dependentFuture)
        let dependentStream = futureStream(method: gauge.pressure)
        anotherFutureStream.completeWith(stream: dependentStream)
    }

    func open(with numbers: FutureStream<Int>, and number: Future<Int>, context: ExecutionContext) {
        sources += 2
        anotherFutureStream.completeWith(context: context, stream: numbers)
        anotherFutureStream.completeWith(context: context, future: number)
    }

    func open(with numbers: Try<FutureStream<Int>>, and number: Try<Future<Int>>) {
        sources += 2
        anotherFutureStream.completeWith(stream: numbers)
        anotherFutureStream.completeWith(future: number)
    }

    func relay(_ numbers: FutureStream<Int>, and number: Future<Int>) -> FutureStream<Int> {
        promise.completeWith(stream: numbers)
        promise.completeWith(future: number)
        return promise.stream
    }

    func relay(_ numbers: FutureStream<Int>, and number: Future<Int>, context: ExecutionContext) -> FutureStream<Int> {
        promise.completeWith(context: context, stream: numbers)
        promise.completeWith(context: context, future: number)
        return promise.stream
    }
}
