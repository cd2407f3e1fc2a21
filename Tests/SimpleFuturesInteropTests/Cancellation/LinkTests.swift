import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Many short-lived uses of one long-lived token, future, stream or actor: afterwards nothing is registered, and the
// captures of their closures are released. With SIMPLEFUTURES_STRESS=200 there are a hundred thousand uses of each
// kind.

@Suite("Links vanish when the work ends", .watchdog)
struct LinkTests {
    @Test(arguments: Link.all) func `many short-lived uses leave nothing behind`(_ link: Link) async {
        let road = Road()
        // A few at a time, so that they do not all exist at the same time.
        for _ in 0..<Stress.rounds(5) {
            for _ in 0..<100 { await link.pass(road, Captive(road.alive)) }
            await until { road.alive.count == 0 }
        }
        await until { road.registrations == [0, 0, 0] }
        #expect(!road.token.isCancelled)
    }

    @Test(arguments: Link.all) func `many uses that end together leave nothing behind`(_ link: Link) async {
        let road = Road()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<Stress.rounds(50) { await link.pass(road, Captive(road.alive)) } }
            }
        }
        await until { road.alive.count == 0 && road.registrations == [0, 0, 0] }
    }

    @Test func `links to a long-lived task are released with the task`() async {
        let road = Road()
        let gate = Promise<Void>()
        let task = Task { [captive = Captive(road.alive)] in
            captive.touch()
            _ = await gate.future.outcome
        }
        for _ in 0..<Stress.rounds(100) {
            let captive = Captive(road.alive)
            road.token.link(task).cancel()
            CancelToken().link(task)
            task.future.onSuccess(context: immediate) { captive.touch() }
        }
        #expect(road.token.registrationCount == 0)
        gate.success()
        await until { road.alive.count == 0 }
        #expect(!task.isCancelled)
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

    static let all = [
        bodies, tasks, callbacks, methods, onActors, waits, steps, streamSteps, detachedSteps, detachedStreamSteps,
    ].flatMap { $0 }

    private static let bodies: [Link] = [
        Link("a future") { road, captive in _ = await Future(cancelToken: road.token) { captive.touch() }.outcome },
        Link("a future that fails") { road, captive in
            _ = await Future(cancelToken: road.token) { () async throws -> Int in
                captive.touch()
                throw Failure()
            }.outcome
        },
        Link("a promise") { road, captive in
            let promise = Promise<Void>()
            promise.completeWith(cancelToken: road.token) { captive.touch() }
            _ = await promise.future.outcome
        },
        Link("run") { road, captive in try? await road.token.run { captive.touch() } },
        Link("run that fails") { road, captive in
            try? await road.token.run {
                captive.touch()
                throw Failure()
            }
        },
    ]

    private static let tasks: [Link] = [
        Link("a task that ends") { road, captive in
            let task = Task { captive.touch() }
            road.token.link(task)
            await task.value
        },
        Link("a task whose link is canceled") { road, captive in
            let task = Task {
                captive.touch()
                _ = await Future<Int>().outcome
            }
            road.token.link(task).cancel()
            task.cancel()
        },
        Link("a task that has ended") { road, captive in
            let task = Task { captive.touch() }
            await task.value
            road.token.link(task)
        },
        Link("a wait for the token that is canceled") { road, captive in
            let task = Task {
                captive.touch()
                await road.token.cancellation
            }
            task.cancel()
            await task.value
        },
        Link("a wait for a child") { road, captive in
            let child = road.token.child()
            let task = Task {
                captive.touch()
                await child.cancellation
            }
            child.cancel()
            await task.value
        },
    ]

    private static let callbacks: [Link] = [false, true].map { cancels in
        Link(cancels ? "a callback that is canceled" : "a callback") { road, captive in
            let done = Promise<Void>()
            let handle = callback({ (_: Int?, _: (any Error)?) in done.success() }, context: immediate) {
                captive.touch()
                return 1
            }
            if cancels { handle.cancel() }
            _ = await done.future.outcome
        }
    }

    private static let methods: [Link] = ["answers", "drops its completion handler", "throws"].map { what in
        Link("a method that \(what)") { road, captive in
            let page: Future<Int> = future(cancelToken: road.token, onLate: { _ in captive.touch() }) {
                (done: @escaping @Sendable (Int?, (any Error)?) -> Void) throws -> CancelAction in
                if what == "throws" { throw Failure() }
                if what == "answers" { done(1, nil) }
                return CancelAction { captive.touch() }
            }
            _ = await page.outcome
        }
    }

    private static let onActors: [Link] = [
        Link("callbacks on an actor") { road, captive in
            let promise = Promise<Int>()
            await Desk.shared.register(on: promise.future, under: road.token, captive)
            promise.success(1)
        },
        Link("canceled callbacks on an actor") { road, captive in
            let child = road.token.child()
            await Desk.shared.register(on: road.idle, under: child, captive)
            await Desk.shared.register(on: road.stream, under: child, captive)
            child.cancel()
        },
    ]

    private static let waits: [Link] = [
        wait("outcome") { _ = await $0.idle.outcome },
        wait("value(cancelling:)") { road in
            _ = try await road.idle.value(cancelling: road.token.child(), onCancel: .abandon)
        },
        wait("completions") { road in for await _ in [road.idle, road.idle].completions {} },
        wait("values") { road in for try await _ in [road.idle, Future(value: 1)].valuesInOrder {} },
        Link("completions in a loop that is left") { road, captive in
            captive.touch()
            for await _ in [road.idle, Future(value: 1), road.idle].completions { break }
        },
    ]

    /// An await that ends when its task is canceled.
    private static func wait(_ name: String, _ body: @escaping @Sendable (Road) async throws -> Void) -> Link {
        Link("\(name), canceled") { road, captive in
            let task = Task {
                captive.touch()
                try await body(road)
            }
            task.cancel()
            _ = await task.result
        }
    }

    private static let steps: [Link] = Step.allCases.map { step in
        Link("\(step) of a future") { road, captive in
            // For one of the two results the closure runs, for the other it is skipped.
            for result in [Try<Int>.success(1), .failure(Failure())] {
                let promise = Promise<Int>()
                let end = step.make(from: promise.future, under: road.token) { captive.touch() }
                promise.complete(result)
                _ = await end.outcome
            }
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

    /// On a future that is never completed.
    private static let detachedSteps: [Link] = Step.allCases.map { step in
        Link("canceled \(step) of a future") { road, captive in
            let child = road.token.child()
            _ = step.make(from: road.idle, under: child) { captive.touch() }
            child.cancel()
        }
    }

    /// On a stream that never ends.
    private static let detachedStreamSteps: [Link] = StreamStep.allCases.map { step in
        Link("canceled \(step) of a stream") { road, captive in
            let child = road.token.child()
            step.make(from: road.stream, under: child, counting: Tally()) { captive.touch() }
            child.cancel()
        }
    }
}

/// A long-lived actor.
private actor Desk {
    static let shared = Desk()
    private var count = 0

    func register(on future: Future<Int>, under token: CancelToken, _ captive: Captive) {
        future.onSuccess(cancelToken: token, isolated: { self.take($0, captive) })
        future.onComplete(cancelToken: token, isolated: { self.take($0.value ?? 0, captive) })
        future.onFailure(cancelToken: token, isolated: { _ in self.take(0, captive) })
    }

    func register(on stream: FutureStream<Int>, under token: CancelToken, _ captive: Captive) {
        stream.onSuccess(cancelToken: token, isolated: { self.take($0, captive) })
        stream.onFinish(cancelToken: token, isolated: { self.take(0, captive) })
    }

    private func take(_ value: Int, _ captive: Captive) {
        captive.touch()
        count += value
    }
}
