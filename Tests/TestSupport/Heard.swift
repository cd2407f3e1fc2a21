import SimpleFutures

/// An event of a stream in comparable form.
enum Heard<Value: Equatable & Sendable>: Equatable, Sendable {
    case value(Value)
    case error(String)
    /// The error of a broken promise, wherever that was created.
    case broken
    case finish
    case cancel

    static func failure(_ error: any Error) -> Heard {
        if case .brokenPromise = error as? FuturesError { .broken } else { .error(String(comparing: error)) }
    }

    init(_ result: Try<Value>) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(let error): self = .failure(error)
        }
    }
}

extension Heard: ExpressibleByUnicodeScalarLiteral where Value == String {}
extension Heard: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {}
extension Heard: ExpressibleByStringLiteral where Value == String {
    init(stringLiteral value: String) { self = .value(value) }
}

extension Heard: ExpressibleByIntegerLiteral where Value == Int {
    init(integerLiteral value: Int) { self = .value(value) }
}

extension FutureStream where T: Equatable {
    /// Records all events that callbacks get from now on, including replayed ones.
    func heard(on context: any ExecutionContext = immediate) -> Log<Heard<T>> {
        let log = Log<Heard<T>>()
        onComplete(context: context) { log.add(Heard($0)) }
        onFinish(context: context) { log.add(.finish) }
        onCancel(context: context) { log.add(.cancel) }
        return log
    }

    /// The replay buffer, and how the stream has ended.
    var state: [Heard<T>] {
        futures.compactMap { $0.result.map { Heard($0) } } + (isFinished ? [.finish] : isCancelled ? [.cancel] : [])
    }
}
