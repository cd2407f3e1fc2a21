import NIOCore
import NIOPosix
@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("The awaiting task is cancelled", .timeLimit(.minutes(5)))
struct CancelledTaskTests {
    /// A task that sleeps until it is cancelled.
    private var sleeper: Task<Void, Never> { Task { try? await Task.sleep(for: .seconds(3600)) } }

    private func isWaiting(_ waiting: Task<some Sendable, Never>) async -> Bool {
        let sleeper = sleeper
        waiting.cancel()
        sleeper.cancel()
        return await waiting.isWaiting(aSecondAfter: sleeper)
    }

    @Test func `a continuation keeps waiting`() async {
        let kept = Log<CheckedContinuation<Void, Never>>()
        #expect(await isWaiting(Task { await withCheckedContinuation { kept.add($0) } }))
        for continuation in kept.all { continuation.resume() }
    }

    @Test func `AsyncStream ends the loop as if the stream had finished, for all consumers`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let loop = Task { for await _ in stream {} }
        loop.cancel()
        await loop.value
        guard case .terminated = continuation.yield(1) else {
            Issue.record("the stream has gone on")
            return
        }
    }

    @Test func `AsyncThrowingStream does not throw a CancellationError`() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        let loop = Task { for try await _ in stream {} }
        loop.cancel()
        try await loop.value
        continuation.finish()
    }

    @Test func `NIO keeps waiting`() async {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Int.self)
        #expect(await isWaiting(Task { try? await promise.futureResult.get() }))
        promise.succeed(1)
    }

    @Test func `Combine's Future keeps waiting`() async {
        var promise: OpenCombine.Future<Int, Never>.Promise?
        let future = OpenCombine.Future<Int, Never> { promise = $0 }
        #expect(await isWaiting(Task { await future.value }))
        promise?(.success(1))
    }

    @Test func `Combine ends the loop as if the publisher had finished`() async throws {
        let subject = PassthroughSubject<Int, Oops>()
        let values = subject.values
        let loop = Task { for try await _ in values {} }
        loop.cancel()
        try await loop.value
        subject.send(completion: .finished)
    }

    @Test func `SimpleFutures throws CancellationError, without an effect on the future and other waiters`()
        async throws
    {
        let promise = Promise<Int>()
        let (cancelled, other) = (Task { try await promise.future.value }, Task { try await promise.future.value })
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        promise.success(1)
        #expect(try await other.value == 1)
    }

    @Test func `SimpleFutures can stop the work, too`() async {
        let token = CancelToken()
        let isStopped = Promise<Bool>()
        token.onCancel { isStopped.success(true) }
        let work = Promise<Int>()
        let waiting = Task { try await work.future.value(cancelling: token, onCancel: .abandon) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(await isStopped.future.outcome.value == true)
    }

    @Test func `SimpleFutures throws CancellationError out of the loop, and the stream continues`() async throws {
        let promise = StreamPromise<Int>()
        let other = promise.stream.subscription()
        let loop = Task { for try await _ in promise.stream.values {} }
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        promise.success(1)
        var iterator = other.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
    }
}
