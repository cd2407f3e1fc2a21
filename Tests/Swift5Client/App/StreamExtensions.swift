import SimpleFutures

// What the app has added to the library's streams.

extension FutureStream {
    func tap(_ body: @escaping (T) -> Void) -> FutureStream<T> {
        return andThen(context: ImmediateContext(), completion: body)
    }

    func logging(to logger: Logger, as name: String) -> FutureStream {
        onComplete(context: ImmediateContext()) { result in
            switch result {
            case .success(let value): logger.log("\(name): \(value)")
            case .failure(let error): logger.log("\(name): \(error)")
            }
        }
        return self
    }

    func cast<Value>(to type: Value.Type) -> FutureStream<Value> {
        return map(context: ImmediateContext()) { value in
            guard let value = value as? Value else { throw WeatherError.offline }
            return value
        }
    }

    func collect(into values: @escaping (T) -> Void, until cancelToken: CancelToken) {
        forEach(context: ImmediateContext(), cancelToken: cancelToken, apply: values)
    }

    static func just(_ value: T) -> FutureStream<T> {
        return FutureStream(value: value, capacity: 1)
    }
}

extension FutureStream where T == Report {
    var warmed: FutureStream<Report> {
        return tap { $0.degrees += 1 }
    }
}

extension FutureStream where T: Sequence {
    func mapEach<Value>(_ mapping: @escaping (T.Element) throws -> Value) -> FutureStream<[Value]> {
        return map(context: ImmediateContext()) { try $0.map(mapping) }
    }
}

extension StreamPromise {
    func resolve(_ value: T?, _ error: Error?) {
        if let value = value {
            success(value)
        } else {
            failure(error ?? WeatherError.offline)
        }
    }

    var block: (T?, Error?) -> Void {
        return { value, error in self.resolve(value, error) }
    }
}

extension Futurable {
    func repeated(_ count: Int) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        onComplete(context: ImmediateContext(), cancelToken: CancelToken()) { result in
            for _ in 0..<count { promise.complete(result) }
        }
        return promise.stream
    }
}
