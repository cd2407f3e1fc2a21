import Foundation
import SimpleFutures

/// Collects what callbacks bring, in arrays of its own and in local variables.
class Dashboard {
    var titles = [String]()
    var failures = [Error]()
    var isBusy = false

    /// Callbacks on the default context.
    func show(_ page: Future<(Data?, Session.Response?)>, completion: @escaping () -> Void) {
        isBusy = true
        page.onSuccess { data, response in
            guard let data = data, let response = response else {
                return
            }
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
            case .success(let report):
                self.titles.append("\(report.degrees)°")
            case .failure(let error):
                self.failures.append(error)
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

/// Hands a value on to blocks that somebody else has written.
func forward<Value>(
    _ future: Future<Value>, success: @escaping (Value) -> Void, failure: @escaping (Error) -> Void
) {
    future.onSuccess(context: ImmediateContext(), completion: success)
    future.onFailure(context: ImmediateContext(), completion: failure)
}
