import SimpleFutures

// Methods that call their block again and again, and streams of what they bring.

class Gauge {
    private var onTemperature: ((Int?, Error?) -> Void)?
    private var onPressure: ((Int, Error?) -> Void)?
    private var onAlarm: ((Error?) -> Void)?
    private var onRain: ((Report) -> Void)?
    private(set) var cities = [String]()

    func temperature(_ update: @escaping (Int?, Swift.Error?) -> Void) {
        onTemperature = update
    }

    func pressure(_ update: @escaping (Int, Error?) -> Void) {
        onPressure = update
    }

    func alarm(_ update: @escaping (Error?) -> Void) {
        onAlarm = update
    }

    func rain(_ update: @escaping (Report) -> Void) {
        onRain = update
    }

    func reports(of city: String, update: @escaping (Report?, Error?) -> Void) {
        cities.append(city)
        for degrees in 1...3 { update(Report(city: city, degrees: degrees), nil) }
        update(nil, WeatherError.offline)
    }

    /// What happens outside.
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
    func temperatureStream() -> FutureStream<Int?> {
        return futureStream(method: temperature)
    }

    func pressureStream() -> FutureStream<Int> {
        return futureStream(method: pressure)
    }

    func alarmStream() -> FutureStream<Void> {
        return futureStream(method: alarm)
    }

    func rainStream() -> FutureStream<Report> {
        return futureStream(method: rain)
    }

    func reportStream(of city: String) -> FutureStream<Report?> {
        return futureStream(method: { self.reports(of: city, update: $0) })
    }
}

/// As the document has it, without annotations.
func warnings(_ gauge: Gauge, context: ExecutionContext) -> FutureStream<String> {
    let mappedStream = futureStream(method: gauge.pressure).map(context: context) { value -> String in
        guard value < 1000 else {
            throw WeatherError.tooCold(value)
        }
        return "\(value)"
    }
    return mappedStream
}
