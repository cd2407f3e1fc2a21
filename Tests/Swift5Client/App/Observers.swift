import Foundation
import SimpleFutures

/// Collects the values of callbacks in its own arrays and in local variables.
class Dashboard {
    var titles = [String]()
    var failures = [Error]()
    var isBusy = false

    /// Callbacks on the default context.
    func show(_ page: Future<(Data?, Session.Response?)>, completion: @escaping () -> Void) {
        isBusy = true
        page.onSuccess { data, response in
            guard let data = data, let response = response else { return }
            self.titles.append("\(response.status): \(String(decoding: data, as: UTF8.self))")
        }
        page.onFailure { error in
            self.failures.append(error)
        }
        page.onComplete { [weak self] _ in
            self?.isBusy = false
            completion()
        }
    }

    /// The same future, observed several times.
    func show(_ report: Future<Report>, context: ExecutionContext) {
        report.onSuccess(context: context) { report in
            self.titles.append(report.city)
        }
        report.onSuccess(context: context) { report in
            report.remarks.append("shown")
        }
        report.onComplete(context: context) { result in
            switch result {
            case .success(let report): self.titles.append("\(report.degrees)°")
            case .failure(let error): self.failures.append(error)
            }
        }
    }
}

func describe(_ report: Future<Report>) -> String {
    var text = "nothing yet"
    var calls = 0
    report.onSuccess(context: ImmediateContext()) {
        text = $0.city
        calls += 1
    }
    report.onFailure(context: ImmediateContext()) { error in
        text = "\(error)"
        calls += 1
    }
    return "\(text), \(calls) calls"
}

func state<Value>(of future: Future<Value>) -> String {
    guard future.completed, let result = future.result else { return "pending" }
    return result.isSuccess() ? "success" : "failure"
}

/// Passes a value on to closures from other code.
func forward<Value>(
    _ future: Future<Value>, success: @escaping (Value) -> Void, failure: @escaping (Error) -> Void
) {
    future.onSuccess(context: ImmediateContext(), completion: success)
    future.onFailure(context: ImmediateContext(), completion: failure)
}

/// A widget that unsubscribes when it leaves the screen.
class Widget {
    private let cancelToken = CancelToken()
    private let source: Future<Report>
    private let context: ExecutionContext
    var lines = [String]()

    init(_ source: Future<Report>, context: ExecutionContext) {
        self.source = source
        self.context = context
    }

    func appear(_ other: @escaping () -> Future<String>) {
        source.onSuccess(context: context, cancelToken: cancelToken) { report in
            self.lines.append(report.city)
        }
        source.onFailure(context: context, cancelToken: cancelToken) { error in
            self.lines.append("\(error)")
        }
        let mapped = source.flatMap(context: context, cancelToken: cancelToken) { _ in
            other()
        }
        mapped.onSuccess(context: context, cancelToken: cancelToken) { text in
            self.lines.append(text)
        }
        mapped.onFailure(context: context, cancelToken: cancelToken) { [unowned self] error in
            self.lines.append("\(error)")
        }
    }

    func disappear() -> Bool { return source.cancel(cancelToken) }
}

/// Keeps callbacks.
struct Subscribers {
    private var blocks = [CompletionId: (Int) -> Void]()

    mutating func add(_ block: @escaping (Int) -> Void) -> CompletionId {
        let id = CompletionId()
        blocks[id] = block
        return id
    }

    mutating func remove(_ id: CompletionId) { blocks[id] = nil }

    func tell(_ value: Int) { blocks.values.forEach { $0(value) } }
}

/// Shows incoming elements until it has left the screen.
class Ticker {
    private let cancelToken = CancelToken()
    private let source: FutureStream<Report>
    private let context: ExecutionContext
    var lines = [String]()

    init(_ source: FutureStream<Report>, context: ExecutionContext) {
        self.source = source
        self.context = context
    }

    func appear(_ details: @escaping (Report) -> FutureStream<String>) {
        source.onSuccess(context: context, cancelToken: cancelToken) { report in
            self.lines.append(report.city)
        }
        source.onFailure(context: context, cancelToken: cancelToken) { error in
            self.lines.append("\(error)")
        }
        source.onComplete(context: context, cancelToken: cancelToken) { [weak self] result in
            switch result {
            case .success(let report): self?.lines.append("\(report.degrees)°")
            case .failure: self?.lines.append("?")
            }
        }
        let mappedStream = source.flatMap(context: context, cancelToken: cancelToken) { report in
            details(report)
        }
        mappedStream.onSuccess(context: context, cancelToken: cancelToken) { text in
            self.lines.append(text)
        }
        mappedStream.onFailure(context: context, cancelToken: cancelToken) { [unowned self] error in
            self.lines.append("no details: \(error)")
        }
    }

    func disappear() -> Bool { return source.cancel(cancelToken) }
}

/// On the default context, with local state.
func countBoth(_ stream: FutureStream<Int>, until last: Int, completion: @escaping (Int, Int) -> Void) {
    var values = 0
    var errors = 0
    stream.onSuccess { _ in values += 1 }
    stream.onFailure { _ in errors += 1 }
    stream.onComplete { result in
        if result.value == last { completion(values, errors) }
    }
}

func forward<Value>(
    _ stream: FutureStream<Value>, success: @escaping (Value) -> Void, failure: @escaping (Error) -> Void
) {
    stream.onSuccess(context: ImmediateContext(), completion: success)
    stream.onFailure(context: ImmediateContext(), completion: failure)
}
