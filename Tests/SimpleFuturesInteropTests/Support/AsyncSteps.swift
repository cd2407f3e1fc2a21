import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// The combinators of futures whose closure awaits.
enum Step: String, CaseIterable, Sendable {
    case map, flatMap, recover, forEach

    func make(
        from source: Future<Int>, under token: CancelToken, _ body: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Future<Void> {
        switch self {
        case .map: source.asyncMap(cancelToken: token) { _ in await body() }
        case .flatMap:
            source.asyncFlatMap(cancelToken: token) { _ in
                await body()
                return Future(value: ())
            }
        case .recover:
            source.asyncRecover(cancelToken: token) { _ in
                await body()
                return 1
            }.asVoid()
        case .forEach: source.asyncForEach(cancelToken: token) { _ in await body() }
        }
    }

    func complete(_ source: Promise<Int>) {
        if self == .recover { source.failure(Failure()) } else { source.success(1) }
    }
}

/// The combinators of streams whose closure awaits.
enum StreamStep: String, CaseIterable, Sendable {
    case map, flatMap, recover, forEach

    /// The future ends when the derived object is canceled, or when it would continue otherwise.
    @discardableResult
    func make(
        from source: FutureStream<Int>, under token: CancelToken, counting elements: Tally,
        _ body: @escaping @Sendable () async -> Void
    ) -> Future<Void> {
        switch self {
        case .map:
            return observe(source.asyncMap(cancelToken: token) { _ in await body() }, elements)
        case .flatMap:
            return observe(
                source.asyncFlatMap(cancelToken: token) { _ in
                    await body()
                    return Future(value: 1)
                }, elements)
        case .recover:
            return observe(
                source.asyncRecover(cancelToken: token) { _ in
                    await body()
                    return 1
                }, elements)
        case .forEach:
            let cancelled = Future<Void>()
            let end = source.asyncForEach(cancelToken: token) { _ in await body() }
            end.onCancel(context: immediate) { cancelled.success() }
            end.onComplete(context: immediate) { _ in elements.add() }
            return cancelled
        }
    }

    private func observe<T: Sendable>(_ stream: FutureStream<T>, _ elements: Tally) -> Future<Void> {
        let cancelled = Future<Void>()
        stream.onCancel(context: immediate) { cancelled.success() }
        stream.onComplete(context: immediate) { _ in elements.add() }
        stream.onFinish(context: immediate) { elements.add() }
        return cancelled
    }

    func emit(_ number: Int, into source: StreamPromise<Int>) {
        if self == .recover { source.failure(Failure()) } else { source.success(number) }
    }
}
