import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("TypedStream", .watchdog)
struct TypedStreamTests {
    private let promise = StreamPromise<Int>()
    private var prices: TypedStream<Int, LoginError> { promise.stream.typed(as: LoginError.self) }

    @Test func `map, flatMap and filter: values and errors are passed on, and closures can throw any error`() async {
        emit()
        #expect(await words(prices.map(context: immediate) { $0 + 1 }) == ["2", "failed", "other", "3"])
        #expect(
            await words(prices.map(context: immediate) { _ -> Int in throw LoginError.wrongPassword })
                == ["failed", "failed", "other", "failed"])
        let doubled = prices.flatMap(context: immediate) { value in
            stream(of: value, value).typed(as: LoginError.self)
        }
        #expect(await words(doubled).sorted() == ["1", "1", "2", "2", "failed", "other"])
        #expect(await words(prices.filter(context: immediate) { $0 > 1 }) == ["failed", "other", "2"])
    }

    @Test func `mapError and recover: the type's own errors, or all errors if the type can hold them`() async {
        emit()
        let renamed: TypedStream<Int, APIError> = prices.mapError(context: immediate) { _ in .notFound }
        #expect(
            await renamed.results.all == [.success(1), .failure(.notFound), .failure(.other("other")), .success(2)])
        let back = renamed.mapError(context: immediate) { _ in LoginError.wrongPassword }
        #expect(await words(back) == ["1", "failed", "failed", "2"])
        let recovered: TypedStream<Int, Never> = prices.recover(context: immediate) { _ in 0 }
        #expect(await words(recovered) == ["1", "0", "other", "2"])
        #expect(await words(renamed.recover(context: immediate) { _ in 0 }) == ["1", "0", "0", "2"])
    }

    @Test func `a token cancels a derived stream`() async {
        let token = CancelToken()
        let derived = [
            prices.map(context: immediate, cancelToken: token) { $0 },
            prices.flatMap(context: immediate, cancelToken: token) { _ in prices },
            prices.filter(context: immediate, cancelToken: token) { _ in true },
            prices.mapError(context: immediate, cancelToken: token) { $0 },
        ]
        token.cancel()
        for stream in derived { #expect(await words(stream) == ["cancelled"]) }
    }

    @Test func `the iterator counts lost elements`() async throws {
        var iterator = promise.stream.values(throwing: APIError.self, buffering: .newest(1)).makeAsyncIterator()
        var results = promise.stream.results(throwing: APIError.self, buffering: .newest(1)).makeAsyncIterator()
        for value in 1...3 { promise.success(value) }
        #expect(try await iterator.next() == 3)
        #expect(iterator.droppedCount == 2)
        #expect(await results.next() == .success(3))
        #expect(results.droppedCount == 2)
        promise.finish()
        #expect(try await iterator.next() == nil)
        #expect(await results.next() == nil)
    }

    @Test @MainActor func `a loop stays on the caller's actor`() async throws(APIError) {
        emit()
        var values: [Int] = []
        for await result in promise.stream.results(throwing: APIError.self) {
            MainActor.assertIsolated()
            if case .success(let value) = result { values.append(value) }
        }
        #expect(values == [1, 2])
        let sequence = stream(of: 1, 2).values(throwing: APIError.self)
        for try await value in sequence {
            MainActor.assertIsolated()
            values.append(value)
        }
        #expect(values == [1, 2, 1, 2])
    }

    /// Emits elements into the replay buffer.
    private func emit() {
        promise.success(1)
        promise.failure(LoginError.wrongPassword)
        promise.failure(Oops.other)
        promise.success(2)
        promise.finish()
    }

    private func words<Failure>(_ stream: TypedStream<Int, Failure>) async -> [String] {
        await stream.results.all.map { result in
            switch result {
            case .success(let value): "\(value)"
            case .failure(.failed): "failed"
            case .failure(.cancelled): "cancelled"
            case .failure(.timedOut): "timed out"
            case .failure(.broken): "broken"
            case .failure(.other): "other"
            }
        }
    }
}

extension TypedStreamResults {
    fileprivate var all: [Element] {
        get async {
            var all: [Element] = []
            for await element in self { all.append(element) }
            return all
        }
    }
}

private func stream(of values: Int...) -> FutureStream<Int> {
    let promise = StreamPromise<Int>()
    for value in values { promise.success(value) }
    promise.finish()
    return promise.stream
}
