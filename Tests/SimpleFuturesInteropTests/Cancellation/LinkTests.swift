@preconcurrency import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Many short-lived uses of one long-lived token, future, stream or actor: afterwards nothing is registered, and the
// captures of their closures are released. With SIMPLEFUTURES_STRESS=200 there are a hundred thousand uses of each
// kind. `AwaitTests` and `TokenTaskTests` test single waits.

@Suite("Links vanish when the work ends", .watchdog)
struct LinkTests {
    @Test(arguments: Link.all) func `many short-lived uses, some concurrent, leave nothing behind`(_ link: Link) async {
        let road = Road()
        // In groups, so that they do not all exist at the same time.
        for _ in 0..<Stress.rounds(2) {
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<25 { await link.pass(road, Captive(road.alive)) } } }
            }
            await until { road.alive.count == 0 }
        }
        await until { road.registrations == [0, 0, 0] }
        #expect(!road.token.isCancelled)
    }

    @Test func `links to a long-lived task are released with the task`() async {
        let (road, gate) = (Road(), AsyncGate())
        let task = Task { [captive = Captive(road.alive)] in
            captive.touch()
            await gate.pass()
        }
        let end = task.future
        for _ in 0..<1_000 * Stress.factor {
            road.token.link(task).cancel()
            CancelToken().link(task)
        }
        #expect(road.token.registrationCount == 0 && end.observerCount == 0)
        for _ in 0..<Stress.rounds(100) {
            let captive = Captive(road.alive)
            task.future.onSuccess(context: immediate) { captive.touch() }
        }
        gate.open()
        await until { road.alive.count == 0 }
        #expect(!task.isCancelled)
    }

    @Test(arguments: ["task", "future", "stream"], [true, false])
    func `all links of a token are gone before what waits for one of them goes on`(
        _ waiting: String, isDerived: Bool
    ) async {
        for _ in 0..<Stress.rounds(10) {
            let (token, starts, idle, events) = (CancelToken(), Tally(), Future<Int>(), StreamPromise<Int>(capacity: 0))
            let source = FutureStream<Int>(capacity: 0) { emitter in
                starts.add()
                return CancelAction { withExtendedLifetime(emitter) {} }
            }
            let subscribesAgain = { @Sendable in source.onSuccess(context: immediate) { _ in } }
            let future = idle.map(context: immediate, cancelToken: token) { $0 }
            switch waiting {
            case "task":
                Task {
                    _ = await future.outcome
                    subscribesAgain()
                }
                await until { future.observerCount == 1 }
            case "future": future.onCancel(context: QueueContext.global, subscribesAgain)
            default:
                let mapped = events.stream.map(context: immediate, cancelToken: token) { $0 }
                mapped.onCancel(context: QueueContext.global, subscribesAgain)
            }
            for _ in 0..<500 { idle.onSuccess(context: immediate, cancelToken: token) { _ in } }
            (isDerived ? source.map(context: immediate) { $0 } : source)
                .onSuccess(context: immediate, cancelToken: token) { _ in }
            #expect(starts.count == 1)
            token.cancel()
            // A subscriber that came before the last one has left would stay in the first run.
            await until { starts.count == 2 }
        }
    }

    @Test(arguments: ["none", "immediate", "queue", "custom"])
    func `a stop that waits holds up no other source under its token`(_ name: String) async {
        let contexts: [String: any ExecutionContext] = [
            "immediate": immediate, "queue": DispatchQueue(label: "source"), "custom": InlineContext(),
        ]
        let token = CancelToken()
        let other = FutureStream<Int>(capacity: 0, context: contexts[name]) { emitter in
            emitter.success(1)
            return CancelAction { withExtendedLifetime(emitter) {} }
        }
        let heard = Box<Int?>(nil)
        let source = FutureStream<Int>(capacity: 0) { emitter in
            CancelAction {
                withExtendedLifetime(emitter) {}
                heard.value = try? other.first().wait(timeout: .seconds(10))
            }
        }
        for stream in [source, other] { stream.onSuccess(context: immediate, cancelToken: token) { _ in } }
        await until { other.core.subscriberCount == 1 }
        token.cancel()
        #expect(heard.value == 1)
    }

    @Test func `a source on a queue is stopped when all links of the token are gone`() async {
        for _ in 0..<Stress.rounds(10) {
            let (token, idle, last) = (CancelToken(), Future<Int>(), Box<Future<Int>?>(nil))
            let (isRunning, wasLast) = (Gate(), Future<Bool>())
            let stream = FutureStream<Int>(capacity: 0, context: DispatchQueue(label: "source")) { emitter in
                isRunning.open()
                return CancelAction {
                    withExtendedLifetime(emitter) {}
                    wasLast.success(last.value?.isCancelled == true)
                }
            }
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
            for _ in 0..<500 { idle.onSuccess(context: immediate, cancelToken: token) { _ in } }
            last.value = idle.map(context: immediate, cancelToken: token) { $0 }
            await onThread { isRunning.pass() }
            token.cancel()
            #expect(await wasLast.outcome.value == true)
        }
    }
}

/// The long-lived objects.
struct Road: Sendable {
    let token = CancelToken()
    /// A future that is never completed.
    let idle = Future<Int>()
    /// A stream that never ends.
    let stream = FutureStream<Int>(capacity: 0)
    let alive = Tally()

    var registrations: [Int] { [token.registrationCount, idle.observerCount, stream.core.subscriberCount] }
}

/// A short-lived use of them.
struct Link: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let pass: @Sendable (Road, Captive) async -> Void

    init(_ name: String, _ pass: @escaping @Sendable (Road, Captive) async -> Void) {
        (testDescription, self.pass) = (name, pass)
    }

    static let all = [works, others, skippedSteps, streamSteps, canceledSteps, canceledStreamSteps].flatMap { $0 }

    private static let works: [Link] = Waiting.allCases.flatMap { waiting in
        [
            Link("\(waiting)") { road, captive in
                let work = Work(under: road.token, captive)
                work.succeed()
                _ = try? await waiting(work)
            },
            Link("\(waiting) that fails") { road, captive in
                let work = Work(under: road.token, captive)
                work.fail()
                _ = try? await waiting(work)
            },
            Link("canceled \(waiting)") { road, captive in
                let work = Work(under: road.token.child(), captive)
                async let answer = Answer { try await waiting(work) }
                work.token.cancel()
                _ = await answer
                work.succeed()
            },
        ]
    }

    private static let others: [Link] = [
        Link("a task that has ended") { road, captive in
            let task = Task { captive.touch() }
            await task.value
            road.token.link(task)
        },
        Link("loops that are left") { road, captive in
            captive.touch()
            for await _ in [road.idle, Future(value: 1), road.idle].completions { break }
            do { for try await _ in [Future(value: 1), road.idle].valuesInOrder { break } } catch {}
        },
    ]

    private static let skippedSteps: [Link] = Step.allCases.map { step in
        Link("skipped \(step) of a future") { road, captive in
            let promise = Promise<Int>()
            let end = step.make(from: promise.future, under: road.token) { captive.touch() }
            if step == .recover { promise.success(1) } else { promise.failure(Failure()) }
            _ = await end.outcome
        }
    }

    private static let streamSteps: [Link] = StreamStep.allCases.map { step in
        Link("\(step) of a stream") { road, captive in
            let source = StreamPromise<Int>(capacity: 0)
            step.make(from: source.stream, under: road.token, counting: Tally()) { captive.touch() }
            source.success(1)
            source.failure(Failure())
            source.finish()
        }
    }

    private static let canceledSteps: [Link] = Step.allCases.map { step in
        Link("canceled \(step) of a future") { road, captive in
            let child = road.token.child()
            _ = step.make(from: road.idle, under: child) { captive.touch() }
            child.cancel()
        }
    }

    private static let canceledStreamSteps: [Link] = StreamStep.allCases.map { step in
        Link("canceled \(step) of a stream") { road, captive in
            let child = road.token.child()
            step.make(from: road.stream, under: child, counting: Tally()) { captive.touch() }
            child.cancel()
        }
    }
}
