import Dispatch
import Foundation
import SimpleFutures

// The app's code from before it used futures: a model, and a client with completion handlers.

/// A model class that is shared and mutable, as was usual.
class Report {
    let city: String
    var degrees: Int
    var remarks = [String]()

    init(city: String, degrees: Int) {
        self.city = city
        self.degrees = degrees
    }
}

enum WeatherError: Swift.Error, Equatable {
    case unknownCity
    case offline
    case tooCold(Int)
}

/// A weather station that calls completion handlers, at once or on its own thread.
class Station {
    var isOnline = true
    private let thread = DispatchQueue(label: "almanac.station")

    func temperature(completion: @escaping (Int?, Swift.Error?) -> Void) {
        if isOnline { completion(21, nil) } else { completion(nil, WeatherError.offline) }
    }

    func pressure(completion: @escaping (Int, Error?) -> Void) {
        let online = isOnline
        thread.async { completion(1013, online ? nil : WeatherError.offline) }
    }

    func calibrate(_ completion: @escaping (Error?) -> Void) { completion(isOnline ? nil : WeatherError.offline) }

    func name(_ completion: @escaping (String) -> Void) { completion("Zugspitze") }

    func report(for city: String, completion: @escaping (Report?, Error?) -> Void) {
        guard !city.isEmpty else { return completion(nil, WeatherError.unknownCity) }
        completion(Report(city: city, degrees: city.count), nil)
    }
}

// Futures around the station's completion handlers, from nothing, and from values.

extension Station {
    func futureTemperature() -> Future<Int?> { return future(method: temperature) }

    func futurePressure() -> Future<Int> { return future(method: pressure) }

    func futureCalibration() -> Future<Void> { return future(method: calibrate) }

    func futureName() -> Future<String> { return future(method: name) }

    func futureReport(for city: String) -> Future<Report?> {
        return future(method: { self.report(for: city, completion: $0) })
    }
}

func unknown<Value>(_ type: Value.Type) -> Future<Value> {
    return Future<Value>(error: WeatherError.unknownCity)
}

func average(of readings: [Int]) -> Future<Int> { return future(readings.reduce(0, +) / readings.count) }

func parse(_ text: String, context: ExecutionContext) -> Future<Report> {
    return future(context: context) {
        guard let degrees = Int(text) else { throw WeatherError.unknownCity }
        return Report(city: "Here", degrees: degrees)
    }
}

/// Runs on the default context of futures.
func today(_ calendar: Calendar) -> Future<Int> {
    return future { calendar.component(.year, from: Date(timeIntervalSince1970: 0)) }
}

func resolved(_ report: Report, by change: @escaping (Report) -> Void) -> Future<Report> {
    return Future { complete in
        change(report)
        complete(.success(report))
    }
}
