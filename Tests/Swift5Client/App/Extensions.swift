import SimpleFutures

// What the app has added to the library's types.

class Logger {
    var lines = [String]()
    var prefix = ""

    func log(_ line: String) {
        lines.append(prefix + line)
    }
}

extension Future {
    func tap(_ body: @escaping (T) -> Void) -> Future<T> {
        return andThen(context: ImmediateContext(), completion: body)
    }

    func logging(to logger: Logger, as name: String) -> Future<T> {
        onComplete(context: ImmediateContext()) { result in
            switch result {
            case .success(let value): logger.log("\(name): \(value)")
            case .failure(let error): logger.log("\(name): \(error)")
            }
        }
        return self
    }

    func always(_ body: @escaping () -> Void) -> Future {
        onComplete(context: ImmediateContext()) { _ in body() }
        return self
    }

    func cast<Value>(to type: Value.Type) -> Future<Value> {
        return map(context: ImmediateContext()) { value in
            guard let value = value as? Value else { throw WeatherError.offline }
            return value
        }
    }

    static func just(_ value: T) -> Future<T> {
        return Future(value: value)
    }
}

extension Future where T == Report {
    var warmed: Future<Report> {
        return tap { $0.degrees += 1 }
    }
}

extension Future where T: Sequence {
    func mapEach<Value>(_ mapping: @escaping (T.Element) throws -> Value) -> Future<[Value]> {
        return map(context: ImmediateContext()) { try $0.map(mapping) }
    }
}

extension Promise {
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
    func onValue(_ body: @escaping (T) -> Void) -> Self {
        onComplete(context: ImmediateContext(), cancelToken: CancelToken()) { result in
            if let value = result.value { body(value) }
        }
        return self
    }

    func noting(in logger: Logger) -> Self {
        onComplete(context: ImmediateContext(), cancelToken: CancelToken()) { logger.log("\($0.isSuccess())") }
        return self
    }

    var described: Future<String> {
        return map(context: ImmediateContext()) { "\($0)" }
    }
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
