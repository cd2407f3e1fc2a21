import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("asyncMap, asyncFlatMap, asyncRecover, asyncForEach of futures", .watchdog)
struct AsyncCombinatorTests {
    @Test(arguments: [false, true])
    func `the closure gets the value; failures pass by`(_ isCompletedBefore: Bool) async {
        for fails in [false, true] {
            let source = Future<Int>()
            let end: () -> Void = { fails ? source.failure(Failure()) : source.success(2) }
            if isCompletedBefore { end() }
            let mapped = source.asyncMap {
                await Task.yield(); return "\($0)"
            }
            let flatMapped = source.asyncFlatMap { number in Future { number + 1 } }
            let visited = Lock(0)
            let visit = source.asyncForEach { value in visited.exchange(value) }
            if !isCompletedBefore { end() }
            if fails {
                #expect(await mapped.outcome.error is Failure)
                #expect(await flatMapped.outcome.error is Failure)
                #expect(await visit.outcome.error is Failure)
            } else {
                #expect(await mapped.outcome.value == "2")
                #expect(await flatMapped.outcome.value == 3)
                #expect(await visit.outcome.isSuccess())
                #expect(visited.withLock { $0 } == 2)
            }
        }
    }

    @Test func `asyncRecover gets the error; a value passes by`() async {
        #expect(
            await Future(value: 1).asyncRecover { _ in
                await Task.yield(); return 2
            }.outcome.value == 1)
        let recovered = Future<Int>(error: Failure()).asyncRecover {
            await Task.yield(); return $0 is Failure ? 2 : 3
        }
        #expect(await recovered.outcome.value == 2)
        let failed = Future<Int>(error: FuturesError.timedOut).asyncRecover { _ in throw Failure() }
        #expect(await failed.outcome.error is Failure)
    }

    @Test func `what the closure throws fails the future`() async {
        let source = Future(value: 1)
        #expect(await source.asyncMap { _ -> Int in throw Failure() }.outcome.error is Failure)
        #expect(await source.asyncFlatMap { _ -> Future<Int> in throw Failure() }.outcome.error is Failure)
        #expect(await source.asyncFlatMap { _ in Future<Int>(error: Failure()) }.outcome.error is Failure)
        #expect(await source.asyncForEach { _ in throw Failure() }.outcome.error is Failure)
    }

    @Test func `a cancelled or broken source ends them, and no closure runs`() async {
        let token = CancelToken()
        let promise = Promise<Int>()
        let cancelled = promise.future.map(context: ImmediateContext(), cancelToken: token) { $0 }
        let mapped = cancelled.asyncMap { _ in Issue.record("runs") }
        let recovered = cancelled.asyncRecover { _ in
            Issue.record("runs"); return 0
        }
        token.cancel()
        #expect(mapped.isCancelled && recovered.isCancelled)
        var lost: Promise<Int>? = Promise()
        let broken = lost!.future.asyncMap { _ in Issue.record("runs") }
        let mended = lost!.future.asyncRecover { _ in 5 }
        lost = nil
        #expect(await Answer { try await broken.map { _ in 1 }.value } == .broken)
        #expect(await mended.outcome.value == 5)
    }

    @Test @MainActor func `the task is the caller's: actor, name, priority, task-local values`() async {
        let source = Future<Int>()
        let seen = Locals.$id.withValue(5) {
            source.asyncMap(name: "mapper", priority: .low) { _ in
                MainActor.assertIsolated()
                return (Task.name, Task.basePriority, Locals.id)
            }
        }
        Locals.$id.withValue(6) { source.success(1) }
        let (name, priority, id) = await seen.outcome.value ?? (nil, nil, 0)
        #expect(name == "mapper")
        #expect(priority == .low)
        #expect(id == 5)
    }

    @Test func `a token detaches at once: what the closure still returns is dropped`() async {
        let token = CancelToken()
        let gate = Future<Int>()
        let cancelled = Future<Bool>()
        let mapped = Future(value: 1).asyncMap(cancelToken: token) { _ in
            let value = await gate.outcome
            cancelled.success(Task.isCancelled)
            return value
        }
        await until { gate.observerCount == 1 }
        token.cancel()
        #expect(mapped.isCancelled)
        #expect(await cancelled.outcome.value == true)
        #expect(token.registrationCount == 0)
    }

    @Test func `source.cancel(token) detaches as long as the source is pending`() async {
        let token = CancelToken()
        let source = Future<Int>()
        let mapped = source.asyncMap(cancelToken: token) { _ in Issue.record("runs") }
        #expect(source.cancel(token))
        #expect(mapped.isCancelled)
        source.success(1)
        #expect(token.registrationCount == 0 && source.observerCount == 0)
    }

    @Test @MainActor func `a closure that was detached before its actor got round to it does not run`() async {
        let token = CancelToken()
        var hasRun = false
        let mapped = Future(value: 1).asyncMap(cancelToken: token) { _ in hasRun = true }
        let recovered = Future<Int>(error: Failure()).asyncRecover(cancelToken: token) { _ in
            hasRun = true; return 1
        }
        // The main actor is here.
        token.cancel()
        #expect(mapped.isCancelled && recovered.isCancelled)
        for _ in 0..<100 { await Task.yield() }
        #expect(!hasRun)
    }

    @Test func `long chains end, are cancelled and are released`() async {
        for ending in Ending.allCases {
            let source = Source()
            var last = source.future
            for _ in 0..<2_000 * Stress.factor { last = last.asyncMap { $0 } }
            source.end(ending)
            #expect(await Answer { try await last.value } == ending.answer)
        }
        var promise: Promise<Int>? = Promise()
        var last: Future<Int>? = promise?.future
        for _ in 0..<2_000 * Stress.factor { last = last?.asyncMap { $0 } }
        weak var end: Future<Int>?
        end = last
        last = nil
        promise = nil
        await until { end == nil }
    }

    @Test func `a type of one's own has them too`() async {
        let box = FutureBox(Future(value: 3))
        #expect(
            await box.asyncMap {
                await Task.yield(); return $0 * 2
            }.outcome.value == 6)
    }
}

private final class FutureBox: Futurable {
    private let future: Future<Int>

    init() { future = Future() }
    init(_ future: Future<Int>) { self.future = future }
    init(value: Int) { future = Future(value: value) }
    init(error: any Error) { future = Future(error: error) }

    var result: Try<Int>? { future.result }
    func complete(_ result: Try<Int>) { future.complete(result) }
    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<Int>) -> Void
    ) { future.onComplete(context: context, cancelToken: cancelToken, completion: completion) }
    func asFuture(cancelToken: CancelToken) -> Future<Int> { future }
}
