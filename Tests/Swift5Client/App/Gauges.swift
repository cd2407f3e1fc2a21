import SimpleFutures

// Methods that call their closure repeatedly, and streams of their values.

class Gauge {
    private var onTemperature: ((Int?, Error?) -> Void)?
    private var onPressure: ((Int, Error?) -> Void)?
    private var onAlarm: ((Error?) -> Void)?
    private var onRain: ((Report) -> Void)?

    func temperature(_ update: @escaping (Int?, Swift.Error?) -> Void) { onTemperature = update }

    func pressure(_ update: @escaping (Int, Error?) -> Void) { onPressure = update }

    func alarm(_ update: @escaping (Error?) -> Void) { onAlarm = update }

    func rain(_ update: @escaping (Report) -> Void) { onRain = update }

    func reports(of city: String, update: @escaping (Report?, Error?) -> Void) {
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

func announced<Value>(_ value: Value?, capacity: Int?) -> FutureStream<Value> {
    guard let value = value else {
        guard let capacity = capacity else { return FutureStream(error: WeatherError.unknownCity) }
        return FutureStream<Value>(error: WeatherError.offline, capacity: capacity)
    }
    return FutureStream(value: value)
}

func copies<Value>(of stream: FutureStream<Value>, capacity: Int) -> [FutureStream<Value>] {
    return [
        FutureStream(dependent: stream),
        FutureStream(capacity: capacity, context: ImmediateContext(), dependent: stream),
    ]
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

/// A channel that is handed out before its content is known.
class Channel {
    let anotherFutureStream = FutureStream<Int>()
    let promise = StreamPromise<Int>(capacity: 5)

    /// As in the documentation.
    func open(with gauge: Gauge, and station: Station) {
        let dependentFuture = future(method: station.pressure)
        anotherFutureStream.completeWith(future: dependentFuture)
        let dependentStream = futureStream(method: gauge.pressure)
        anotherFutureStream.completeWith(stream: dependentStream)
    }

    func open(with numbers: FutureStream<Int>, and number: Future<Int>, context: ExecutionContext) {
        anotherFutureStream.completeWith(context: context, stream: numbers)
        anotherFutureStream.completeWith(context: context, future: number)
        promise.completeWith(context: context, stream: numbers)
        promise.completeWith(context: context, future: number)
    }

    func open(with numbers: Try<FutureStream<Int>>, and number: Try<Future<Int>>) {
        anotherFutureStream.completeWith(stream: numbers)
        anotherFutureStream.completeWith(future: number)
    }

    func relay(_ numbers: FutureStream<Int>, and number: Future<Int>) -> FutureStream<Int> {
        promise.completeWith(stream: numbers)
        promise.completeWith(future: number)
        return promise.stream
    }
}
