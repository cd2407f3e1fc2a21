import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// Expects a stream to have one source while it has subscribers, with a replay buffer from its creation on, and none
/// any more when its token is canceled or it is released.
///
/// - Parameters:
///   - sources: The number of sources at the moment.
///   - make: Creates a stream.
func expectLifetime<T: Sendable>(
    sources: () -> Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (_ capacity: Int, CancelToken) -> FutureStream<T>
) async {
    func expect(_ condition: Bool, _ step: Comment) { #expect(condition, step, sourceLocation: sourceLocation) }

    let stream = make(0, .none)
    for _ in 0..<2 {
        let tokens = (0..<3).map { _ in CancelToken() }
        expect(sources() == 0, "without subscribers")
        for token in tokens {
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
            expect(sources() == 1, "with subscribers")
        }
        for token in tokens {
            expect(sources() == 1, "before the last subscriber leaves")
            token.cancel()
        }
        expect(sources() == 0, "after the last subscriber has left")
    }
    do {
        let subscription = stream.subscription()
        expect(sources() == 1, "with an iterator")
        withExtendedLifetime(subscription) {}
    }
    expect(sources() == 0, "after the iterator was released")
    let loop = Task { for try await _ in stream.values {} }
    await until { sources() == 1 }
    loop.cancel()
    expect(await loop.result.error is CancellationError, "a canceled loop")
    expect(sources() == 0, "after a canceled loop")

    for capacity in [0, 1] {
        let token = CancelToken()
        let ended = make(capacity, token)
        if capacity == 0 { ended.onSuccess(context: immediate) { _ in } }
        expect(sources() == 1, "until the token is canceled")
        token.cancel()
        expect(ended.isCancelled && sources() == 0, "after the token was canceled")
        let late = make(capacity, token)
        late.onSuccess(context: immediate) { _ in }
        expect(late.isCancelled && sources() == 0, "with a canceled token")
    }

    for capacity in [0, 1] {
        weak var core: StreamCore?
        let token = CancelToken()
        do {
            let dropped = make(capacity, .none)
            core = dropped.core
            expect(sources() == capacity, "with the replay buffer \(capacity)")
            dropped.onSuccess(context: immediate, cancelToken: token) { _ in }
        }
        expect(core != nil && sources() == 1, "a dropped stream with a subscriber")
        token.cancel()
        expect(core == nil && sources() == 0, "a dropped stream without a subscriber")
        _ = make(capacity, .none)
        expect(sources() == 0, "a stream that is dropped at once")
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
