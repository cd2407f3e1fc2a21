@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop

extension Publisher where Output: Sendable {
    /// Subscribes for the first subscriber, or at once if `capacity` is above 0.
    func futureStream(capacity: Int) -> FutureStream<Output> {
        // It can be subscribed to on any thread.
        nonisolated(unsafe) let publisher = eraseToAnyPublisher()
        return FutureStream(capacity: capacity) { emitter in
            let cancellable = publisher.sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion {
                        emitter.failure(error)
                    }
                    emitter.finish()
                },
                receiveValue: { emitter.success($0) })
            return CancelAction { cancellable.cancel() }
        }
    }
}

/// Sends the elements until the first failure, as every publisher does.
struct StreamPublisher<Output: Sendable>: Publisher {
    typealias Failure = any Error
    let stream: FutureStream<Output>

    func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == any Error {
        let subject = PassthroughSubject<Output, any Error>()
        let token = CancelToken()
        let immediate = ImmediateContext()
        subject
            .buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest)
            .handleEvents(receiveCancel: { token.cancel() })
            .subscribe(subscriber)
        stream.onComplete(context: immediate, cancelToken: token) { result in
            switch result {
            case .success(let element):
                subject.send(element)
            case .failure(let error):
                subject.send(completion: .failure(error))
            }
        }
        stream.onFinish(context: immediate, cancelToken: token) {
            subject.send(completion: .finished)
        }
        stream.onCancel(context: immediate, cancelToken: token) {
            subject.send(completion: .failure(CancellationError()))
        }
    }
}

extension SimpleFutures.Future {
    func publisher() -> OpenCombine.Future<T, any Error> {
        OpenCombine.Future { promise in
            // Combine's promises lock their own state.
            nonisolated(unsafe) let promise = promise
            let immediate = ImmediateContext()
            self.onComplete(context: immediate) { promise($0.result) }
            self.onCancel(context: immediate) {
                promise(.failure(CancellationError()))
            }
        }
    }
}
