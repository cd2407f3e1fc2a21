import NIOCore
import NIOEmbedded
@preconcurrency import OpenCombine
import SimpleFutures
import Testing

@Suite("A callback that can no longer run is released", .timeLimit(.minutes(5)))
struct ReleasedTests {
    @Test func `NIO retains the callback and its captures forever`() {
        let watch = Watch { probe in
            let promise = EmbeddedEventLoop().makePromise(of: Int.self)
            promise.futureResult.whenComplete { _ in probe.use() }
        }
        #expect(!watch.isReleased)
    }

    @Test func `NIO releases a callback after it has run`() {
        let watch = Watch { probe in
            let promise = EmbeddedEventLoop().makePromise(of: Int.self)
            promise.futureResult.whenComplete { _ in probe.use() }
            promise.succeed(1)
        }
        #expect(watch.isReleased)
    }

    @Test func `Combine retains the callback until the cancellable is dropped`() {
        var sink: AnyCancellable?
        let watch = Watch { probe in
            sink = OpenCombine.Future<Int, Never> { _ in }.sink { _ in probe.use() }
        }
        #expect(sink != nil)
        #expect(!watch.isReleased)
        sink = nil
        #expect(watch.isReleased)
    }

    @Test func `SimpleFutures releases the callback, even while the future is held`() {
        var future: SimpleFutures.Future<Int>?
        let watch = Watch { probe in
            let promise = Promise<Int>()
            promise.future.onComplete(context: ImmediateContext()) { _ in probe.use() }
            future = promise.future
        }
        #expect(watch.isReleased)
        #expect(future?.completed == true)
    }
}
