import SimpleFutures
import Testing

/// A stream that a test emits into and ends in any possible way.
final class Emitter {
    enum Ending: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case finish, cancellation, promiseReleased

        var testDescription: String { rawValue }

        /// The event that subscribers get.
        func passedOn<Value>() -> Heard<Value> { self == .cancellation ? .cancel : .finish }
    }

    let stream: FutureStream<Int>
    private var promise: StreamPromise<Int>?
    private let token = CancelToken()

    init(capacity: Int = .max) {
        let promise = StreamPromise<Int>(capacity: capacity)
        stream = promise.stream.map(context: immediate, cancelToken: token) { $0 }
        self.promise = promise
    }

    func emit(_ values: Int...) { for value in values { promise?.success(value) } }

    func fail(_ error: any Error = Oops.source) { promise?.failure(error) }

    func end(_ ending: Ending) {
        switch ending {
        case .finish: promise?.finish()
        case .cancellation: token.cancel()
        case .promiseReleased: promise = nil
        }
    }
}
