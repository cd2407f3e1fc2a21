import NIOCore
import NIOEmbedded
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("The bridges to SwiftNIO's futures", .timeLimit(.minutes(1)))
struct SwiftNIOTests {
    private let loop = NIOAsyncTestingEventLoop()

    @Test func `An EventLoopFuture's value is awaited as a future`() async throws {
        let promise = loop.makePromise(of: Int.self)
        let future = promise.futureResult.asFuture()
        #expect(!future.completed)
        promise.succeed(4)
        await loop.run()
        #expect(try await future.value == 4)
    }

    @Test func `An EventLoopFuture's error fails the future`() async {
        let failed: EventLoopFuture<Int> = loop.makeFailedFuture(Oops())
        let future = failed.asFuture()
        await loop.run()
        await #expect(throws: Oops()) { try await future.value }
    }

    @Test func `Canceling what is derived from the bridge leaves the EventLoopFuture alone`() async throws {
        let promise = loop.makePromise(of: Int.self)
        let token = CancelToken()
        let doubled = promise.futureResult.asFuture().map(context: ImmediateContext(), cancelToken: token) { $0 * 2 }
        token.cancel()
        #expect(doubled.isCancelled)
        promise.succeed(4)
        await loop.run()
        #expect(try await promise.futureResult.get() == 4)
    }

    @Test func `A future's value succeeds the EventLoopFuture`() async throws {
        let promise = Promise<Int>()
        let result = promise.future.eventLoopFuture(on: loop)
        promise.success(4)
        await loop.run()
        #expect(try await result.get() == 4)
    }

    @Test func `A future's error fails the EventLoopFuture`() async {
        let result = Future<Int>(error: Oops()).eventLoopFuture(on: loop)
        await loop.run()
        await #expect(throws: Oops()) { try await result.get() }
    }

    @Test func `A broken promise fails the EventLoopFuture`() async {
        let result = Promise<Int>().future.eventLoopFuture(on: loop)
        await loop.run()
        await #expect(throws: FuturesError.self) { try await result.get() }
    }

    @Test func `A canceled future fails the EventLoopFuture with CancellationError`() async {
        let promise = Promise<Int>()
        let token = CancelToken()
        let derived = promise.future.map(context: ImmediateContext(), cancelToken: token) { $0 }
        let result = derived.eventLoopFuture(on: loop)
        token.cancel()
        await loop.run()
        await #expect(throws: CancellationError.self) { try await result.get() }
    }

    @Test func `A future survives the way to SwiftNIO and back`() async throws {
        let there = Future(value: 4).eventLoopFuture(on: loop).asFuture()
        await loop.run()
        #expect(try await there.value == 4)
    }

    @Test func `Callbacks run on the event loop that their context names`() async throws {
        let loop = loop
        let ranOnLoop = Future(value: 4).map(context: EventLoopContext(eventLoop: loop)) { _ in loop.inEventLoop }
        await loop.run()
        #expect(try await ranOnLoop.value)
    }

    @Test func `Two contexts of one event loop are the same`() {
        #expect(EventLoopContext(eventLoop: loop) == EventLoopContext(eventLoop: loop))
        #expect(EventLoopContext(eventLoop: loop) != EventLoopContext(eventLoop: NIOAsyncTestingEventLoop()))
    }
}
