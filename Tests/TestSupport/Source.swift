import SimpleFutures

/// A future that a test ends in any possible way.
final class Source: Sendable {
    enum Ending: CaseIterable, Sendable {
        case success
        case failure
        case cancellation
        case breach
    }

    let future: Future<Int>
    let token = CancelToken()
    private let promise = Box<Promise<Int>?>(nil)

    init() {
        let promise = Promise<Int>()
        future = promise.future.map(context: immediate, cancelToken: token) { $0 }
        self.promise.value = promise
    }

    func end(_ ending: Ending) {
        switch ending {
        case .success: promise.value?.success(1)
        case .failure: promise.value?.failure(Oops.source)
        case .cancellation: token.cancel()
        case .breach: promise.value = nil
        }
    }

    /// A future that ends before or after `body` has seen it.
    static func ending<Result>(_ ending: Ending, _ moment: Moment, _ body: (Future<Int>) -> Result) -> Result {
        let source = Source()
        if moment == .before { source.end(ending) }
        let result = body(source.future)
        if moment == .after { source.end(ending) }
        return result
    }

    /// Whether the source ends before or after something is derived from it.
    enum Moment: CaseIterable, Sendable {
        case before
        case after
    }
}

extension Source.Ending {
    /// The result of a future that passes the end of its source on.
    func passedOn<Value>(success: Outcome<Value>) -> Outcome<Value> {
        switch self {
        case .success: success
        case .failure: .failure(Oops.source)
        case .cancellation: .cancelled
        case .breach: .broken
        }
    }
}
