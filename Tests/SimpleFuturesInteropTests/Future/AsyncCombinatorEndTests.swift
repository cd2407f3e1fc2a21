import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A future that waits for an inner future", .watchdog)
struct InnerFutureTests {
    @Test func `asyncFlatMap is broken when its inner future can no longer be completed`() async {
        let answer = await Answer { try await Future(value: 1).asyncFlatMap { _ in Future<Int>() }.value }
        #expect(answer == .broken)
    }

    @Test func `the value of a task is released when flatMap waits for its inner future`() async {
        final class Value: Sendable {}
        let (inner, gate) = (Promise<Int>(), Promise<Void>())
        let value = Box<Value?>(Value())
        weak let released = value.value
        var source: Future<Value>? = Future { [gate] in
            try await gate.future.value
            return value.change { $0.take() }.unsafelyUnwrapped
        }
        let entered = Promise<Void>()
        let derived = source?.flatMap(context: immediate) { [inner] _ in
            entered.success()
            return inner.future
        }
        gate.success()
        source = nil
        await until { entered.completed && released == nil }
        #expect(derived?.completed == false)
        inner.success(1)
        #expect(derived?.result?.value == 1)
    }
}

@Suite("Loops over streams with closures that await", .watchdog)
struct AsyncCombinatorLoopTests {
    @Test(arguments: StreamCombinator.all)
    func `a loop that is left, or whose task is canceled, unsubscribes behind any combinator`(
        _ combinator: StreamCombinator
    ) async {
        let clock = ManualContext()
        let steps: [@Sendable (FutureStream<Int>) -> FutureStream<Int>] = [
            { $0.asyncMap { $0 } }, { $0.asyncFlatMap { Future(value: $0) } }, { $0.asyncRecover { _ in 2 } },
            { $0.asyncFlatMap { FutureStream(value: $0) } },
        ]
        for (step, isFirst, isCanceled) in steps.flatMap({ step in
            [(step, true, true), (step, true, false), (step, false, true), (step, false, false)]
        }) {
            let source = FutureStream<Int>(capacity: 1)
            let loop = Task {
                let derived =
                    isFirst
                    ? combinator.apply(to: step(source), clock: clock)
                    : step(combinator.apply(to: source, clock: clock))
                for try await _ in derived.values { break }
            }
            await until { source.core.subscriberCount > 0 }
            if isCanceled { loop.cancel() } else { source.success(1) }
            let end = loop.future
            await until {
                clock.advance(by: .seconds(1))
                return end.completed || end.isCancelled
            }
            await until { source.core.subscriberCount == 0 }
        }
        #expect(clock.timerCount == 0)
    }
}
