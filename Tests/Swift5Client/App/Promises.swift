import Foundation
import SimpleFutures

// Promises around completion handlers and delegates, and completeWith.

/// A session like those of networking libraries of that time, which answers from a dictionary.
class Session {
    struct Response {
        let status: Int
    }

    static let shared = Session()
    var pages = ["/rain": "yes"]

    func load(_ path: String, completion: @escaping (Data?, Response?, Error?) -> Void) {
        guard !path.isEmpty else { return completion(nil, nil, WeatherError.offline) }
        let page = pages[path]
        completion(page.map { Data($0.utf8) }, Response(status: page == nil ? 404 : 200), nil)
    }

    class func get(_ path: String) -> Future<(Data?, Response?)> {
        let promise = Promise<(Data?, Response?)>()
        shared.load(path) { data, response, error in
            if let error = error { promise.failure(error) } else { promise.success((data, response)) }
        }
        return promise.future
    }
}

/// One promise for each way to complete it.
func relay(_ source: Future<Report>, on context: ExecutionContext) -> [Promise<Report>] {
    let promises = (0..<3).map { _ in Promise<Report>() }
    promises[0].completeWith(future: source)
    promises[1].completeWith(context: context, future: source)
    if let result = source.result { promises[2].complete(result) }
    return promises
}

/// A future that is handed out before its result is known.
class Lookup {
    let answer = Future<Int>()

    func start(with station: Station) { answer.completeWith(future: station.futurePressure()) }

    func start(with stored: Int?, context: ExecutionContext) {
        let number = stored.map { Future(value: $0) } ?? Future(error: WeatherError.offline)
        answer.completeWith(context: context, future: number)
    }

    func start(with attempt: Try<Future<Int>>) { answer.completeWith(future: attempt) }

    func finish(with value: Int?) {
        guard let value = value else { return answer.failure(WeatherError.offline) }
        if value > 0 { answer.success(value) } else { answer.complete(.success(0)) }
    }
}

func copies<Value>(of future: Future<Value>) -> [Future<Value>] {
    return [Future(dependent: future), Future(context: ImmediateContext(), dependent: future)]
}

/// The value of a location manager of that time: an object.
class Location: NSObject {
    let city: String

    init(_ city: String) { self.city = city }
}

/// Turns the calls of a delegate into a future for the permission and a stream of locations.
class Tracker: NSObject {
    private(set) var isUpdating = false
    private(set) var visited = [Location]()
    private var locationPromise = StreamPromise<[Location]>()
    private let authorizationPromise = Promise<Void>()

    func startUpdatingLocation(capacity: Int = Int.max, context: ExecutionContext) -> FutureStream<[Location]> {
        locationPromise = StreamPromise<[Location]>(capacity: capacity)
        let stream = locationPromise.stream
        stream.onSuccess(context: context) { [unowned self] locations in
            self.visited += locations
        }
        return authorizationPromise.future.flatMap(capacity: capacity, context: context) { [unowned self] in
            self.isUpdating = true
            return stream
        }
    }

    func stopUpdatingLocation() { locationPromise = StreamPromise<[Location]>() }

    func didUpdate(_ locations: [Location]) { locationPromise.success(locations) }

    func didChangeAuthorization(_ isAuthorized: Bool) {
        if isAuthorized {
            authorizationPromise.success(())
        } else {
            authorizationPromise.failure(WeatherError.offline)
        }
    }
}
