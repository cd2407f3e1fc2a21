import NIOCore
import NIOEmbedded
import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("Cancellation", .timeLimit(.minutes(5)))
struct CallingOffTests {
    @Test func `AsyncStream notifies the producer when its loop is cancelled`() async {
        let heard = Log<Bool>()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.onTermination = { if case .cancelled = $0 { heard.add(true) } }
        let loop = Task { for await _ in stream {} }
        loop.cancel()
        await loop.value
        #expect(heard.all == [true])
    }

    @Test func `NIO does not return a handle to unregister a callback`() {
        let future = EmbeddedEventLoop().makeSucceededFuture(1)
        // This compiles as long as the method returns Void.
        let _: Void = future.whenSuccess { _ in }
    }

    @Test func `Combine cancels one subscription, also by dropping its cancellable`() {
        let subject = PassthroughSubject<Int, Never>()
        let heard = Log<String>()
        let first = subject.sink { _ in heard.add("first") }
        var second: AnyCancellable? = subject.sink { _ in heard.add("second") }
        let third = subject.sink { _ in heard.add("third") }
        first.cancel()
        #expect(second != nil)
        second = nil
        subject.send(1)
        #expect(heard.all == ["third"])
        third.cancel()
    }

    @Test func `SimpleFutures unsubscribes callbacks of many futures and streams by one token, and runs its handlers`()
    {
        let token = CancelToken()
        let (promise, stream) = (Promise<Int>(), StreamPromise<Int>())
        let heard = Log<String>()
        promise.future.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in heard.add("future") }
        stream.stream.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in heard.add("stream") }
        promise.future.onSuccess(context: ImmediateContext()) { _ in heard.add("other") }
        token.onCancel { heard.add("cancelled") }
        token.cancel()
        promise.success(1)
        stream.success(1)
        #expect(heard.all == ["cancelled", "other"])
    }

    @Test func `SimpleFutures cancels futures derived under the token, and the tasks that await them`() async {
        let token = CancelToken()
        let promise = Promise<Int>()
        let derived = promise.future.map(context: ImmediateContext(), cancelToken: token) { $0 }
        let further = derived.map(context: ImmediateContext()) { $0 }
        token.cancel()
        #expect(derived.isCancelled)
        await #expect(throws: CancellationError.self) { try await further.value }
        #expect(!promise.future.isCancelled)
    }

    @Test func `SimpleFutures cancels the task behind a future`() async {
        let token = CancelToken()
        let future = SimpleFutures.Future(cancelToken: token) { try await Task.sleep(for: .seconds(3600)) }
        token.cancel()
        await #expect(throws: CancellationError.self) { try await future.value }
    }
}
