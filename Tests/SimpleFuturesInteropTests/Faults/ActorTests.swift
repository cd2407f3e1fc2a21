import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// An actor that waits for what it does itself, and whose callbacks come back to it.
private actor Reentrant {
    private let promise = Promise<Int>()
    private(set) var log: [String] = []

    /// Waits on the actor; meanwhile the actor is free to complete what it waits for.
    func wait() async throws -> Int {
        log.append("waits")
        let value = try await promise.future.value
        log.append("has \(value)")
        return value
    }

    func complete() {
        log.append("completes")
        promise.success(1)
        log.append("has completed")
    }

    /// Awaits, inside the actor, what a callback of the actor completes.
    func waitForOwnCallback() async throws -> Int {
        let done = Promise<Int>()
        promise.future.onSuccess(isolated: { value in
            self.log.append("callback")
            done.success(value + 1)
        })
        promise.success(1)
        log.append("after success")
        return try await done.future.value
    }

    /// Emits, in a callback of the actor, into the stream that calls it.
    func count(to end: Int) async -> [Int] {
        let stream = FutureStream<Int>(capacity: 0)
        let seen = Box<[Int]>([])
        let results = stream.subscription().results
        stream.onSuccess(isolated: { value in
            seen.change { $0.append(value) }
            if value < end { stream.success(value + 1) } else { stream.finish() }
        })
        stream.success(1)
        for await _ in results {}
        return seen.value
    }

    var waiters: Int { promise.future.observerCount }
}

@Suite("Faults: actors", .timeLimit(.minutes(10)))
struct ActorTests {
    @Test func `an actor that awaits what it completes itself is not blocked`() async throws {
        let actor = Reentrant()
        async let value = actor.wait()
        while await actor.waiters == 0 { await Task.yield() }
        await actor.complete()
        #expect(try await value == 1)
        #expect(await actor.log == ["waits", "completes", "has completed", "has 1"])
    }

    @Test func `an actor may await what a callback of its own completes, which comes later`() async throws {
        let actor = Reentrant()
        #expect(try await actor.waitForOwnCallback() == 2)
        #expect(await actor.log == ["after success", "callback"])
    }

    @Test func `a callback of an actor may emit into the stream that calls it`() async {
        #expect(await Reentrant().count(to: 100) == Array(1...100))
    }

    @Test func `a callback keeps its actor until it has run`() async {
        let promise = Promise<Int>()
        weak var actor: Reentrant?
        let done = Promise<Void>()
        do {
            let new = Reentrant()
            actor = new
            promise.future.onSuccess(context: ActorContext(new)) { _ in done.success() }
        }
        #expect(actor != nil)
        promise.success(1)
        _ = await done.future.outcome
        await until { actor == nil }
    }
}
