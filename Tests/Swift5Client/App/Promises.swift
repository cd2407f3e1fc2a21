import Foundation
import SimpleFutures

/// A session like those of networking libraries of that time, which answers from a dictionary.
class Session {
    class Task {
        var body: (() -> Void)?

        func resume() {
            body?()
            body = nil
        }
    }

    struct Response {
        let status: Int
    }

    static let shared = Session()
    var pages = ["/rain": "yes"]

    func dataTask(
        with path: String, completion: @escaping (Data?, Response?, Error?) -> Void
    ) -> Task {
        let task = Task()
        task.body = {
            guard !path.isEmpty else { return completion(nil, nil, WeatherError.offline) }
            let page = self.pages[path]
            completion(page.map { Data($0.utf8) }, Response(status: page == nil ? 404 : 200), nil)
        }
        return task
    }
}

extension Session {
    class func get(_ path: String) -> Future<(Data?, Response?)> {
        let promise = Promise<(Data?, Response?)>()
        let task = shared.dataTask(with: path) { data, response, error in
            if let error = error {
                promise.failure(error)
            } else {
                promise.success((data, response))
            }
        }
        task.resume()
        return promise.future
    }
}

func relay(_ source: Future<Report>, through promise: Promise<Report>) -> Future<Report> {
    promise.completeWith(future: source)
    return promise.future
}

func relay(_ source: Future<Report>, on context: ExecutionContext) -> Promise<Report> {
    let promise = Promise<Report>()
    promise.completeWith(context: context, future: source)
    return promise
}

func finish(_ promise: Promise<Int>, with result: Try<Int>) -> Bool {
    promise.complete(result)
    return promise.completed
}

/// A future that is handed out before its result is known.
class Lookup {
    let answer = Future<Int>()
    private(set) var sources = 0

    func start(with station: Station) {
        sources += 1
        answer.completeWith(future: station.futurePressure())
    }

    func start(with stored: Int?, context: ExecutionContext) {
        sources += 1
        if let stored = stored {
            answer.completeWith(context: context, future: Future(value: stored))
        } else {
            answer.completeWith(context: context, future: Future(error: WeatherError.offline))
        }
    }

    func start(with attempt: Try<Future<Int>>) {
        sources += 1
        answer.completeWith(future: attempt)
    }

    func giveUp() { answer.failure(WeatherError.offline) }
}

func copy<Value>(_ future: Future<Value>) -> Future<Value> {
    return Future(context: ImmediateContext(), dependent: future)
}
