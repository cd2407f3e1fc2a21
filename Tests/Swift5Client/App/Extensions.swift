import SimpleFutures

// The app's extensions of the library's types.

class Logger {
    var lines = [String]()
    var prefix = ""

    func log(_ line: String) { lines.append(prefix + line) }
}

extension Future {
    func tap(_ body: @escaping (T) -> Void) -> Future<T> {
        return andThen(context: ImmediateContext(), completion: body)
    }

    func logging(to logger: Logger, as name: String) -> Future {
        onComplete(context: ImmediateContext()) { result in
            switch result {
            case .success(let value): logger.log("\(name): \(value)")
            case .failure(let error): logger.log("\(name): \(error)")
            }
        }
        return self
    }

    static func just(_ value: T) -> Future<T> { return Future(value: value) }
}

extension Future where T == Report {
    var warmed: Future<Report> { return tap { $0.degrees += 1 } }
}

extension Future where T: Sequence {
    func mapEach<Value>(_ mapping: @escaping (T.Element) throws -> Value) -> Future<[Value]> {
        return map(context: ImmediateContext()) { try $0.map(mapping) }
    }
}

extension Promise {
    var block: (T?, Error?) -> Void {
        return { value, error in
            if let value = value { self.success(value) } else { self.failure(error ?? WeatherError.offline) }
        }
    }
}

extension Futurable {
    func onValue(_ body: @escaping (T) -> Void) -> Self {
        onComplete(context: ImmediateContext(), cancelToken: CancelToken()) { result in
            if let value = result.value { body(value) }
        }
        return self
    }

    var described: Future<String> { return map(context: ImmediateContext()) { "\($0)" } }
}

extension Sequence where Element: Futurable {
    func all(then body: @escaping ([Element.T]) -> Void) {
        sequence(context: ImmediateContext()).onSuccess(context: ImmediateContext(), completion: body)
    }
}

extension Try {
    func log(to logger: Logger) -> Try<T> {
        forEach { logger.log("\($0)") }
        return self
    }
}

// The app's extensions of the library's streams.

extension FutureStream {
    func collect(into values: @escaping (T) -> Void, until cancelToken: CancelToken) {
        forEach(context: ImmediateContext(), cancelToken: cancelToken, apply: values)
    }
}

extension StreamPromise {
    var block: (T?, Error?) -> Void {
        return { value, error in
            if let value = value { self.success(value) } else { self.failure(error ?? WeatherError.offline) }
        }
    }
}

// Combinators that the app has written because the library had none. The library now has some of the same names; calls
// here still use the app's.

extension FutureStream {
    func take(_ count: Int) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        let cancelToken = CancelToken()
        var left = count
        onComplete(context: ImmediateContext(), cancelToken: cancelToken) { result in
            left -= 1
            promise.complete(result)
            if left == 0 { _ = self.cancel(cancelToken) }
        }
        return promise.stream
    }

    func filter(_ isGood: @escaping (T) -> Bool) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        onSuccess(context: ImmediateContext()) { value in
            if isGood(value) { promise.success(value) }
        }
        return promise.stream
    }

    func scan<Value>(_ initial: Value, _ combine: @escaping (Value, T) -> Value) -> FutureStream<Value> {
        var value = initial
        return map(context: ImmediateContext()) { next in
            value = combine(value, next)
            return value
        }
    }

    func merge(_ other: FutureStream<T>) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        promise.completeWith(stream: self)
        promise.completeWith(stream: other)
        return promise.stream
    }
}

func merge<Value>(_ first: FutureStream<Value>, _ second: FutureStream<Value>) -> FutureStream<Value> {
    return first.merge(second)
}

func bestDegrees(_ reports: FutureStream<Report>, _ others: FutureStream<Report>) -> FutureStream<Int> {
    return merge(reports, others.merge(FutureStream())).filter { $0.degrees > 0 }.scan(0) { max($0, $1.degrees) }
}
