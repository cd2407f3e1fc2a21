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
