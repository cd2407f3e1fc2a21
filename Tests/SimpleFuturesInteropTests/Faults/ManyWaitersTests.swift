import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Faults: a hundred thousand who wait", .timeLimit(.minutes(10)))
struct ManyWaitersTests {
    @Test func `tasks that wait for one future and are cancelled are all answered, and nothing is left`() async {
        let future = Future<Int>()
        let count = 100_000
        let waiting = Task {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<count { group.addTask { await future.outcome.error is CancellationError ? 1 : 0 } }
                return await group.reduce(0, +)
            }
        }
        await until { future.observerCount == count }
        waiting.cancel()
        #expect(await waiting.value == count)
        #expect(future.observerCount == 0)
        #expect(!future.completed && !future.isCancelled)
    }

    @Test func `callbacks of one future that are cancelled together never run, and let go`() {
        let (future, token) = (Future<Int>(), CancelToken())
        let ran = Box(0)
        for _ in 0..<100_000 {
            future.onComplete(context: ImmediateContext(), cancelToken: token) { _ in ran.change { $0 += 1 } }
        }
        #expect(future.observerCount == 100_000)
        token.cancel()
        #expect(future.observerCount == 0)
        future.success(1)
        #expect(ran.value == 0)
    }

    @Test func `callbacks of one future all run`() {
        let future = Future<Int>()
        let ran = Box(0)
        for _ in 0..<100_000 { future.onSuccess(context: ImmediateContext()) { value in ran.change { $0 += value } } }
        future.success(1)
        #expect(ran.value == 100_000)
        #expect(future.observerCount == 0)
    }
}
