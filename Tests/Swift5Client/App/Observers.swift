import Foundation
import SimpleFutures

/// Collects the values of callbacks in its own arrays.
class Dashboard {
    var titles = [String]()
    var failures = [Error]()
    var isBusy = false
    private let cancelToken = CancelToken()

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

    /// Callbacks on a context, until the dashboard hides the report.
    func show(_ report: Future<Report>, context: ExecutionContext) {
        report.onSuccess(context: context, cancelToken: cancelToken) { report in
            report.remarks.append("shown")
            self.titles.append(report.city)
        }
        report.onFailure(context: context, cancelToken: cancelToken) { [unowned self] error in
            self.failures.append(error)
        }
        report.onComplete(context: context, cancelToken: cancelToken) { result in
            switch result {
            case .success(let report): self.titles.append("\(report.degrees)°")
            case .failure(let error): self.titles.append("\(error)")
            }
        }
    }

    func hide(_ report: Future<Report>) -> Bool { return report.cancel(cancelToken) }

    /// The same for each element of a stream.
    func show(_ reports: FutureStream<Report>, context: ExecutionContext) {
        reports.onSuccess(context: context, cancelToken: cancelToken) { report in
            report.remarks.append("shown")
            self.titles.append(report.city)
        }
        reports.onFailure(context: context, cancelToken: cancelToken) { [unowned self] error in
            self.failures.append(error)
        }
        reports.onComplete(context: context, cancelToken: cancelToken) { [weak self] result in
            switch result {
            case .success(let report): self?.titles.append("\(report.degrees)°")
            case .failure(let error): self?.titles.append("\(error)")
            }
        }
    }

    func hide(_ reports: FutureStream<Report>) -> Bool { return reports.cancel(cancelToken) }
}

/// Passes values on to closures from other code.
func forward<Value>(
    _ future: Future<Value>, _ stream: FutureStream<Value>, success: @escaping (Value) -> Void,
    failure: @escaping (Error) -> Void, completion: @escaping (Try<Value>) -> Void
) {
    future.onSuccess(context: ImmediateContext(), completion: success)
    future.onFailure(context: ImmediateContext(), completion: failure)
    future.onComplete(context: ImmediateContext(), completion: completion)
    stream.onSuccess(context: ImmediateContext(), completion: success)
    stream.onFailure(context: ImmediateContext(), completion: failure)
    stream.onComplete(context: ImmediateContext(), completion: completion)
}

/// Callbacks of a stream on the default context, with local variables.
func countBoth(_ stream: FutureStream<Int>, until last: Int, completion: @escaping (Int, Int) -> Void) {
    var values = 0
    var errors = 0
    stream.onSuccess { _ in values += 1 }
    stream.onFailure { _ in errors += 1 }
    stream.onComplete { result in
        if result.value == last { completion(values, errors) }
    }
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
