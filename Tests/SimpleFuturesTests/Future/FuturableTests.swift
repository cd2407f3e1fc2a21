import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Futurable", .watchdog)
struct FuturableTests {
    /// A user's type written from scratch.
    private final class Delivery<T: Sendable>: Futurable {
        private let state = Lock<(result: Try<T>?, callbacks: [@Sendable (Try<T>) -> Void])>((nil, []))

        init() {}

        init(value: T) { complete(.success(value)) }

        init(error: any Error) { complete(.failure(error)) }

        var result: Try<T>? { state.withLock { $0.result } }

        func complete(_ result: Try<T>) {
            let callbacks = state.withLock { state in
                defer { state.callbacks = [] }
                if state.result == nil { state.result = result }
                return state.callbacks
            }
            for callback in callbacks { callback(result) }
        }

        func onComplete(
            context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<T>) -> Void
        ) {
            let callback: @Sendable (Try<T>) -> Void = { result in context.execute { completion(result) } }
            let result = state.withLock { state in
                if state.result == nil { state.callbacks.append(callback) }
                return state.result
            }
            if let result { callback(result) }
        }
    }

    /// A user's type that stores a future.
    private final class Wrapped: Futurable {
        let future = Future<Int>()

        init() {}

        init(value: Int) { future.success(value) }

        init(error: any Error) { future.failure(error) }

        var result: Try<Int>? { future.result }

        func complete(_ result: Try<Int>) { future.complete(result) }

        func onComplete(
            context: any ExecutionContext, cancelToken: CancelToken,
            completion: @escaping @Sendable (Try<Int>) -> Void
        ) {
            future.onComplete(context: context, cancelToken: cancelToken, completion: completion)
        }
    }

    @Test func `every combinator`() {
        let one = Delivery(value: 1)
        let none = Delivery<Int>(error: Oops.source)
        let seen = Log<String>()
        one.onSuccess(context: immediate) { seen.add("success \($0)") }
        one.onFailure(context: immediate) { _ in seen.add("?") }
        none.onFailure(context: immediate) { seen.add("failure \($0)") }
        one.forEach(context: immediate) { seen.add("each \($0)") }
        #expect(seen.all == ["success 1", "failure source", "each 1"])
        #expect(one.map(context: immediate) { $0 + 1 }.ended == .success(2))
        #expect(one.flatMap(context: immediate) { Future(value: $0 + 2) }.ended == .success(3))
        #expect(one.withFilter(context: immediate) { $0 > 1 }.ended == .failure(FuturesError.noSuchElement))
        #expect(none.recover(context: immediate) { _ in 4 }.ended == .success(4))
        #expect(none.recoverWith(context: immediate) { _ in Future(value: 5) }.ended == .success(5))
        #expect(none.mapError(context: immediate) { _ in Oops.other }.ended == .failure(Oops.other))
        #expect(none.flatMapError(context: immediate) { _ in Future(value: 6) }.ended == .success(6))
        #expect(one.zip(Future(value: 7)).map(context: immediate) { $0 + $1 }.ended == .success(8))
        let time = ManualContext()
        #expect(one.timeout(.seconds(1), context: time).ended == .success(1))
        let later = one.delay(.seconds(1), context: time)
        #expect(later.ended == .pending)
        time.advance(by: .seconds(1))
        #expect(later.ended == .success(1))
        #expect(one.asVoid().completed)
        #expect(none.materialize().completed)
        none.on(context: immediate, failure: { seen.add("on \($0)") })
        #expect(seen.all.last == "on source")
        #expect(one.andThen(context: immediate) { seen.add("then \($0)") }.ended == .success(1))
        #expect(seen.all.last == "then 1")
    }

    @Test func `sequences of the type`() {
        let inputs = [Delivery<Int>(), Delivery<Int>()]
        let all = inputs.sequence()
        let sum = inputs.fold(context: immediate, initial: 0) { $0 + $1 }
        let first = inputs.firstCompleted()
        inputs[1].complete(.success(2))
        #expect(first.ended == .success(2))
        inputs[0].complete(.success(1))
        #expect(all.ended == .success([1, 2]))
        #expect(sum.ended == .success(3))
    }

    @Test func `releasing it uncompleted breaks derived futures`() {
        var source: Delivery<Int>? = Delivery()
        let derived = source?.map(context: immediate) { $0 }
        #expect(derived?.ended == .pending)
        source = nil
        #expect(derived?.ended == .broken)
    }

    @Test func `completing with a value or an error, or like another one`() {
        let (succeeded, failed, source) = (Delivery<Int>(), Delivery<Int>(), Delivery<Int>())
        let dependent = Delivery(context: immediate, dependent: source)
        succeeded.success(1)
        failed.failure(Oops.source)
        source.complete(.success(2))
        let outcomes = [succeeded, failed, dependent].map { $0.result.map { Outcome($0) } }
        #expect(outcomes == [.success(1), .failure(Oops.source), .success(2)])
    }

    @Test func `a token unsubscribes futures derived with it, and a canceled one registers nothing`() {
        let (source, token) = (Wrapped(), CancelToken())
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let other = source.map(context: immediate) { $0 }
        #expect(source.future.cancel(token))
        #expect(derived.ended == .cancelled)
        token.cancel()
        let registered = source.future.observerCount
        #expect(source.map(context: immediate, cancelToken: token) { $0 }.ended == .cancelled)
        #expect(source.future.observerCount == registered)
        source.complete(.success(1))
        #expect(derived.ended == .cancelled)
        #expect(other.ended == .success(1))
    }

    @Test func `asFuture of a future is the future itself, even in generic code`() {
        func derive<F: Futurable>(_ source: F) -> Future<F.T> { source.map(context: immediate) { $0 } }
        let source = Source()
        let derived = derive(source.future)
        source.end(.cancellation)
        #expect(derived.ended == .cancelled)
        #expect(source.future.asFuture() === source.future)
    }
}
