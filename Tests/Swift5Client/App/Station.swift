import Dispatch
import Foundation
import SimpleFutures

// What the app has had before it had futures: a model and a client with completion blocks.

/// A model class, shared and changed at will, as it was usual.
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

/// A weather station that answers through completion blocks, at once or from a thread of its own.
class Station {
    var isOnline = true
    private(set) var requestCount = 0
    private let thread = DispatchQueue(label: "almanac.station")

    func temperature(completion: @escaping (Int?, Swift.Error?) -> Void) {
        requestCount += 1
        if isOnline {
            completion(21, nil)
        } else {
            completion(nil, WeatherError.offline)
        }
    }

    func pressure(completion: @escaping (Int, Error?) -> Void) {
        requestCount += 1
        let online = isOnline
        thread.async { completion(1013, online ? nil : WeatherError.offline) }
    }

    func calibrate(_ completion: @escaping (Error?) -> Void) {
        requestCount += 1
        completion(isOnline ? nil : WeatherError.offline)
    }

    func name(_ completion: @escaping (String) -> Void) {
        requestCount += 1
        completion("Zugspitze")
    }

    func report(for city: String, completion: @escaping (Report?, Error?) -> Void) {
        requestCount += 1
        if city.isEmpty {
            completion(nil, WeatherError.unknownCity)
        } else {
            completion(Report(city: city, degrees: city.count), nil)
        }
    }
}

// Futures from nothing, from values, and around the blocks of the station.

extension Station {
    func futureTemperature() -> Future<Int?> { return future(method: temperature) }

    func futurePressure() -> Future<Int> { return future(method: pressure) }

    func futureCalibration() -> Future<Void> { return future(method: calibrate) }

    func futureName() -> Future<String> { return future(method: name) }

    func futureReport(for city: String) -> Future<Report?> {
        return future(method: { self.report(for: city, completion: $0) })
    }
}

func known(_ degrees: Int) -> Future<Int> { return Future(value: degrees) }

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

/// Runs where futures run by default.
func today(_ calendar: Calendar) -> Future<Int> {
    return future { calendar.component(.year, from: Date(timeIntervalSince1970: 0)) }
}

func resolved(_ report: Report, by change: @escaping (Report) -> Void) -> Future<Report> {
    return Future { complete in
        change(report)
        complete(.success(report))
    }
}
