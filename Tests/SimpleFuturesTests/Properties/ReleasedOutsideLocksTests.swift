import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 5: values are released outside locks, so their deinit can wait for another thread", .watchdog)
struct ReleasedOutsideLocksTests {
    typealias Elements = FutureStream<AtDeinit>

    @Test(arguments: Pairing.all, [true, false])
    func `the deinit of an element can wait for a thread that uses the same streams`(
        _ pairing: Pairing, _ isCanceled: Bool
    ) {
        let (first, second) = (Elements(capacity: isCanceled ? 0 : 1), Elements(capacity: isCanceled ? 0 : 1))
        let (clock, token, count, isStuck) = (ManualContext(), CancelToken(), Box(0), Box(false))
        let emits = Box(true)
        let derived = pairing.derive(first, second, clock, token)
        derived.onComplete(context: immediate) { _ in }
        @Sendable func element() -> AtDeinit {
            AtDeinit {
                count.increment()
                // One element that waits in vain is enough.
                if isStuck.value { return }
                let isOver = returns(before: .now() + 20) {
                    for stream in [first, second] where emits.value { stream.success(AtDeinit {}) }
                    clock.advance(by: .milliseconds(700))
                    let short = CancelToken()
                    derived.onComplete(context: immediate, cancelToken: short) { _ in }
                    derived.cancel(short)
                    token.onCancel {}.cancel()
                }
                if !isOver { isStuck.value = true }
            }
        }
        for stream in [first, second, first, first, second, second, first] { stream.success(element()) }
        for stream in [first, second] { stream.failure(ErrorAtDeinit(object: element())) }
        clock.advance(by: .seconds(10))
        // From now on, elements wait for others until the end.
        emits.value = false
        for stream in [first, second, first] { stream.success(element()) }
        if isCanceled { token.cancel() }
        for stream in [first, second] { stream.finish() }
        clock.advance(by: .seconds(10))
        #expect(!isStuck.value, "an element is released under a lock")
        #expect(count.value > 0)
    }

    @Test func `the deinit of an element or a context can wait for what the same token cancels next`() {
        let (clock, token, promise) = (ManualContext(), CancelToken(), Promise<Int>())
        let (elements, numbers) = (Elements(capacity: 0), FutureStream<Int>(capacity: 0))
        let (derived, ends) = (Box<Future<Int>?>(nil), Box<[Outcome<Int>]>([]))
        let waits = { @Sendable in
            if let future = derived.value { ends.append(Outcome(Try { try future.wait() })) }
        }
        elements.onSuccess(context: clock, cancelToken: token) { _ in }
        numbers.onSuccess(context: HoldingContext(AtDeinit(waits)), cancelToken: token) { _ in }
        derived.value = promise.future.map(context: immediate, cancelToken: token) { $0 }
        elements.success(AtDeinit(waits))
        #expect(returns { token.cancel() })
        #expect(ends.value == Array(repeating: .failure(CancellationError()), count: 2))
    }

    /// Keeps an object alive.
    private final class HoldingContext: ExecutionContext {
        private let object: AtDeinit

        init(_ object: AtDeinit) { self.object = object }

        func execute(_ task: @escaping @Sendable () -> Void) { task() }
    }

    @Test func `what a caller ignores of a result is released after the unlock, even by the optimizer`() {
        let (lock, isOutside) = (Lock<AtDeinit?>(nil), Box(false))
        lock.exchange(AtDeinit { isOutside.value = returns(before: .now() + 20) { lock.withLock { _ in } } })
        _ = lock.withLock { $0.take() }
        #expect(isOutside.value)
    }

    /// A stream that is derived from one or two others.
    struct Pairing: Sendable, CustomTestStringConvertible {
        let name: String
        let derive: @Sendable (Elements, Elements, ManualContext, CancelToken) -> FutureStream<Void>

        var testDescription: String { name }

        init<T: Sendable>(
            _ name: String,
            _ derive: @escaping @Sendable (Elements, Elements, ManualContext, CancelToken) -> FutureStream<T>
        ) {
            self.name = name
            self.derive = { derive($0, $1, $2, $3).map(context: immediate) { _ in } }
        }

        static let all: [Self] = [
            .init("debounce") { $0.debounce(.seconds(1), context: $2, cancelToken: $3) },
            .init("throttle to the latest") { $0.throttle(.seconds(1), context: $2, cancelToken: $3) },
            .init("throttle to the first") { $0.throttle(.seconds(1), latest: false, context: $2, cancelToken: $3) },
            .init("timeout") { $0.timeout(.seconds(1), context: $2, cancelToken: $3) },
            .init("merge") { $0.merge($1, cancelToken: $3) },
            .init("zip") { $0.zip($1, cancelToken: $3) },
            .init("combineLatest") { $0.combineLatest($1, cancelToken: $3) },
            .init("withLatest") { $0.withLatest(from: $1, cancelToken: $3) },
            .init("flatMap") { first, second, _, token in
                first.flatMap(context: immediate, cancelToken: token) { _ in second }
            },
            .init("flatMapLatest") { first, second, _, token in
                first.flatMapLatest(context: immediate, cancelToken: token) { _ in second }
            },
            .init("recoverWith") { first, second, _, token in
                first.recoverWith(context: immediate, cancelToken: token) { _ in second }
            },
            .init("scan") { first, _, _, token in
                first.scan(AtDeinit {}, context: immediate, cancelToken: token) { $1 }
            },
            .init("distinct") { first, _, _, token in
                first.distinct(context: immediate, cancelToken: token) { $0 === $1 }
            },
            .init("take") { $0.take(2, cancelToken: $3) },
            .init("drop") { $0.drop(2, cancelToken: $3) },
            .init("on a manual context") { first, _, clock, token in
                first.map(context: clock, cancelToken: token) { $0 }
            },
        ]
    }
}
