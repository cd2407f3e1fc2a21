import NIOCore
import NIOPosix
@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("Callbacks and await on the same object, and two callers", .timeLimit(.minutes(5)))
struct CallbackAndAwaitTests {
    @Test
    func `two calls of a continuation-based function do the work twice, two uses of a future do it once`() async throws
    {
        let calls = Log<Int>()
        @Sendable func work(_ completion: (Int) -> Void) {
            calls.add(1)
            completion(1)
        }
        func value() async -> Int {
            await withCheckedContinuation { done in work { done.resume(returning: $0) } }
        }
        #expect(await value() + value() == 2)
        #expect(calls.all.count == 2)
        let future: SimpleFutures.Future<Int> = future { work($0) }
        #expect(try await future.value + future.value == 2)
        #expect(calls.all.count == 3)
    }

    @Test func `a NIO future supports both`() async throws {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Int.self)
        let heard = Log<Int>()
        promise.futureResult.whenSuccess { heard.add($0) }
        promise.succeed(1)
        #expect(try await promise.futureResult.get() == 1)
        #expect(heard.all == [1])
    }

    @Test func `a Combine future supports both`() async {
        let future = OpenCombine.Future<Int, Never> { $0(.success(1)) }
        let heard = Log<Int>()
        let sink = future.sink { heard.add($0) }
        #expect(await future.value == 1)
        #expect(heard.all == [1])
        sink.cancel()
    }

    @Test func `a SimpleFutures future supports both`() async throws {
        let promise = Promise<Int>()
        let heard = Log<Int>()
        promise.future.onSuccess(context: ImmediateContext()) { heard.add($0) }
        promise.success(1)
        #expect(try await promise.future.value == 1)
        #expect(heard.all == [1])
    }

    @Test func `a SimpleFutures stream supports both`() async throws {
        let promise = StreamPromise<Int>()
        let heard = Log<Int>()
        promise.stream.onSuccess(context: ImmediateContext()) { heard.add($0) }
        promise.success(1)
        promise.finish()
        for try await element in promise.stream.values { #expect(element == 1) }
        #expect(heard.all == [1])
    }
}
