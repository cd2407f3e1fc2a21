import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

private actor Other {
    private(set) var hasRun = false
    func run() { hasRun = true }
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func start() -> (Future<Int>, Bool) {
        let future = Future.immediate { () async throws -> Int in
            self.run()
            return 1
        }
        return (future, hasRun)
    }
}

@Suite("Future.immediate: a closure that begins before the call returns", .watchdog)
struct ImmediateFutureTests {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @MainActor @Test func `on the main actor it runs up to the first suspension before the call returns`() async throws
    {
        var steps: [String] = []
        let gate = Promise<Int>()
        let future = Future.immediate {
            steps.append("begun")
            let value = try await gate.future.value
            steps.append("resumed")
            return value
        }
        steps.append("returned")
        #expect(steps == ["begun", "returned"])
        gate.success(4)
        #expect(try await future.value == 4)
        #expect(steps == ["begun", "returned", "resumed"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @MainActor @Test func `a closure that does not suspend has ended when the call returns`() {
        let number = 3
        #expect(Future.immediate { () async throws -> Int in number + 1 }.ended == .success(4))
        #expect(Future<Int>.immediate { () async throws -> Int in throw Oops.thrown }.ended == .failure(Oops.thrown))
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `on another actor it also begins before the call returns`() async {
        let (future, hasRun) = await Other().start()
        #expect(hasRun)
        #expect(future.ended == .success(1))
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `without an actor it begins on the caller's thread`() async {
        let future = Future.immediate { () async throws -> Int in 4 }
        #expect(future.ended == .success(4))
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a closure isolated to another actor begins there later`() async throws {
        let future = Future.immediate { @MainActor () async throws -> Bool in
            MainActor.assertIsolated()
            return true
        }
        #expect(try await future.value)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `with a canceled token the closure does not run`() async {
        let token = CancelToken()
        token.cancel()
        let future = Future.immediate(cancelToken: token) { () async throws -> Int in
            Issue.record("it has run")
            return 1
        }
        await #expect(throws: CancellationError.self) { try await future.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `the token cancels the task, and the closure's result counts`() async throws {
        let (token, gate) = (CancelToken(), Promise<Int>())
        let future = Future.immediate(name: "upload", cancelToken: token) { () async throws -> Int in
            _ = await gate.future.outcome
            return Task.isCancelled ? 1 : 2
        }
        #expect(!future.completed)
        token.cancel()
        #expect(try await future.value == 1)
        #expect(token.registrationCount == 0)
    }
}
