import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Clocks and contexts share a time", .watchdog)
struct ClockTests {
    private let context = ManualContext()

    @Test func `a sleep on a context's clock ends at its time`() async throws {
        let clock = context.clock
        let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
        try await context.timers(atLeast: 1).value
        let promise = Promise<Int>()
        let late = promise.future.timeout(.seconds(5), context: context)
        #expect(late.result == nil)
        context.advance(by: .seconds(5))
        try await sleeper.value
        #expect(late.result != nil)
        withExtendedLifetime(promise) {}
        #expect(clock.now.offset == .seconds(5))
        #expect(clock.now == clock.now && clock.now < clock.now.advanced(by: .seconds(1)))
        #expect(clock.now.duration(to: clock.now.advanced(by: .seconds(1))) == .seconds(1))
        #expect(clock.minimumResolution > .zero)
        // The time has passed.
        try await clock.sleep(until: .init(offset: .seconds(1)), tolerance: nil)
    }

    @Test func `a sleep ends at its time, even if the time moves while it begins`() async throws {
        for round in 0..<Stress.rounds(10_000) {
            let (context, begins) = (ManualContext(), Tally())
            DispatchQueue.global().async {
                begins.add()
                context.advance(by: .seconds(5))
            }
            while begins.count == 0 {}
            for _ in 0..<round % 100 { _ = context.now }
            try await context.clock.sleep(until: .init(offset: .seconds(5)), tolerance: nil)
            #expect(context.timerCount == 0)
        }
    }

    @Test func `a canceled sleep ends at once and frees its timer`() async throws {
        let clock = context.clock
        let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
        try await context.timers(atLeast: 1).value
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        await until { context.timerCount == 0 }
        // A canceled task throws even if the time has passed.
        for seconds in [5, -5] {
            await inCancelledTask {
                await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(seconds)) }
            }
        }
    }

    @Test func `a ClockContext waits on its clock, and a canceled timer releases its task`() async throws {
        // A manual context's clock, so that the test controls the time.
        let timed = ClockContext(context.clock, on: QueueContext.global)
        let future = Future<Int>.after(.seconds(5), value: 1, context: timed)
        try await context.timers(atLeast: 1).value
        let timer = timed.execute(after: .seconds(5)) { Issue.record("it was canceled") }
        try await context.timers(atLeast: 2).value
        #expect(timer.cancel() && !timer.cancel())
        await until { context.timerCount == 1 }
        #expect(timed.now == .zero)
        context.advance(by: .seconds(5))
        #expect(try await future.value == 1)
        #expect(timed.now == .seconds(5))
        let ran = Promise<Void>()
        timed.execute { ran.success() }
        try await ran.future.value
    }

    @Test func `callbacks after a timer of a ClockContext see no task-local values of its registration`() async throws {
        enum Trace { @TaskLocal static var id = 0 }
        let timed = ClockContext(context.clock, on: immediate)
        let (promise, seen) = (Promise<Int>(), Future<Int>())
        let late = Trace.$id.withValue(1) { promise.future.timeout(.seconds(5), context: timed) }
        late.onFailure(context: immediate) { _ in seen.success(Trace.id) }
        try await context.timers(atLeast: 1).value
        context.advance(by: .seconds(5))
        #expect(try await seen.value == 0)
        withExtendedLifetime(promise) {}
    }

    @Test func `a ClockContext on an actor has the timers of its clock, too`() async throws {
        let timed = ClockContext(context.clock, on: ActorContext(Desk()))
        let promise = Promise<Int>()
        let late = promise.future.delay(.seconds(5), context: timed)
        promise.success(1)
        try await context.timers(atLeast: 1).value
        context.advance(by: .seconds(5))
        #expect(try await late.value == 1)
    }

    @Test func `a timer of a ClockContext can be canceled until its task runs`() async throws {
        let base = ManualContext()
        let timer = ClockContext(context.clock, on: base).execute(after: .seconds(5)) {
            Issue.record("it was canceled")
        }
        try await context.timers(atLeast: 1).value
        context.advance(by: .seconds(5))
        try await base.pending(atLeast: 1).value
        #expect(timer.cancel() && !timer.cancel())
        base.run()
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 18, .seconds(Int64.min)])
    func `a ClockContext accepts any duration`(_ duration: Duration) async {
        let promise = Promise<Int>()
        let context = ClockContext(ContinuousClock(), on: QueueContext.global)
        let late = promise.future.timeout(duration, context: context)
        if duration < .zero { return #expect(await late.outcome.error is FuturesError) }
        promise.success(1)
        #expect(late.result?.value == 1)
    }

    @Test func `shared asynchronous work is canceled when the last waiter leaves`() async throws {
        let (begun, ended) = (Box(0), Promise<Bool>())
        let work = SharedWork<String, Int> { (_: String) async throws -> Int in
            begun.increment()
            do { try await Task.sleep(for: .seconds(1_000)) } catch {
                ended.success(Task.isCancelled)
                throw error
            }
            return 1
        }
        // All join before the first is canceled: one that comes later would begin the work anew.
        let waiters = (0..<3).map { _ in Task { [future = work.future(for: "a")] in try await future.value } }
        await until { begun.value == 1 }
        // A canceled caller leaves at once, and the others go on waiting.
        let caller = Task { try await work.value(for: "a") }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await #expect(throws: CancellationError.self) { try await waiter.value } }
        #expect(try await ended.future.value)
        #expect(begun.value == 1)
    }

    @Test func `shared asynchronous work returns one result to all callers`() async throws {
        let (begun, gate) = (Box(0), Promise<Int>())
        let work = SharedWork<WithoutKey, Int>(keepingResultsFor: nil) { () async throws -> Int in
            begun.increment()
            return try await gate.future.value
        }
        async let (one, other) = (work.value(), work.value())
        await until { begun.value == 1 }
        gate.success(7)
        #expect(try await one + other == 14)
        #expect(try await work.value() == 7)
        #expect(begun.value == 1)
    }
}

private actor Desk {}
