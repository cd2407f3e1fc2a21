import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Loops over streams", .watchdog)
struct StreamLoopTests {
    @Test func `any number of loops see every element, and what the stream keeps`() async throws {
        let promise = StreamPromise<Int>()
        promise.success(0)
        let stream = promise.stream
        let loops = (0..<20).map { _ in
            Task {
                var values: [Int] = []
                for try await value in stream.values { values.append(value) }
                return values
            }
        }
        await until { stream.core.subscriberCount == 20 }
        for number in 1..<100 { promise.success(number) }
        promise.finish()
        for loop in loops { #expect(try await loop.value == Array(0..<100)) }
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `a slow loop affects its own buffer alone`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let slow = promise.stream.subscription(buffering: .newest(2))
        let patient = promise.stream.subscription()
        var fast = promise.stream.values.makeAsyncIterator()
        for number in 0..<1_000 {
            promise.success(number)
            #expect(try await fast.next() == number)
        }
        promise.finish()
        #expect(try await fast.next() == nil)
        #expect(fast.droppedCount == 0)
        #expect(slow.droppedCount == 998)
        #expect(try await Array(slow) == [998, 999])
        #expect(try await Array(patient) == Array(0..<1_000))
    }

    @Test func `leaving a loop unsubscribes at once, with the stream still there`() async throws {
        let promise = StreamPromise<Int>()
        for number in 0..<5 { promise.success(number) }
        for try await value in promise.stream.values where value == 2 { break }
        #expect(promise.stream.core.subscriberCount == 0)
        for await result in promise.stream.results where result.value == 2 { break }
        #expect(promise.stream.core.subscriberCount == 0)
        struct Enough: Error {}
        await #expect(throws: Enough.self) {
            for try await _ in promise.stream.values { throw Enough() }
        }
        #expect(promise.stream.core.subscriberCount == 0)
    }

    @Test func `the first failure ends values and unsubscribes at once, and is an element of results`() async {
        let promise = StreamPromise<Int>()
        promise.success(1)
        promise.failure(Failure())
        promise.success(2)
        var iterator = promise.stream.values.makeAsyncIterator()
        #expect(await iterator.word() == "1")
        #expect(promise.stream.core.subscriberCount == 1)
        #expect(await iterator.word() == "failure")
        #expect(promise.stream.core.subscriberCount == 0)
        #expect(await iterator.word() == "end")
        #expect(iterator.droppedCount == 1)
        promise.finish()
        var results = promise.stream.results.makeAsyncIterator()
        var words: [String] = []
        while words.last != "end" { words.append(await results.word()) }
        #expect(words == ["1", "failure", "2", "end"])
    }

    @Test func `a subscription is made now, iterated later, once`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        promise.success(1)
        promise.success(2)
        #expect(promise.stream.core.subscriberCount == 1)
        promise.finish()
        #expect(try await Array(subscription) == [1, 2])
        await #expect(throws: FuturesError.noSuchElement) { for try await _ in subscription {} }
        var again = subscription.results.makeAsyncIterator()
        #expect(await again.word() == "nothing")
        #expect(await again.word() == "end")
    }

    @Test func `a subscription gives its results too`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription(buffering: .oldest(2))
        promise.success(1)
        promise.failure(Failure())
        promise.success(3)
        promise.finish()
        #expect(subscription.droppedCount == 1)
        var words: [String] = []
        var iterator = subscription.results.makeAsyncIterator()
        while words.last != "end" { words.append(await iterator.word()) }
        #expect(words == ["1", "failure", "end"])
        #expect(iterator.droppedCount == 1)
    }

    @Test func `a subscription that is dropped, or left in a loop, is gone at once`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        var dropped: FutureStreamSubscription<Int>? = promise.stream.subscription()
        #expect(promise.stream.core.subscriberCount == 1)
        #expect(dropped != nil)
        dropped = nil
        #expect(promise.stream.core.subscriberCount == 0)
        let left = promise.stream.subscription()
        promise.success(1)
        for try await _ in left { break }
        #expect(promise.stream.core.subscriberCount == 0)
        #expect(left.droppedCount == 0)
    }

    @Test func `an iterator of a bare stream that is released comes to its end`() async throws {
        var stream: FutureStream<Int>? = FutureStream(value: 1)
        var iterator = stream!.values.makeAsyncIterator()
        stream = nil
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == nil)
    }

    @Test func `elements of any size, and those that are references, are delivered and released`() async throws {
        let count = Living.Count()
        let promise = StreamPromise<(Living, Int, Int, Int, String)>(capacity: 2)
        for number in 0..<10 { promise.success((Living(count), number, 1, 2, "\(number)")) }
        #expect(count.now == 2)
        var iterator = promise.stream.values.makeAsyncIterator()
        var first = try await iterator.next()
        #expect(first?.1 == 8)
        #expect(first?.4 == "8")
        promise.success((Living(count), 10, 1, 2, "10"))
        promise.success((Living(count), 11, 1, 2, "11"))
        #expect(count.now == 4)
        first = try await iterator.next()
        #expect(count.now == 3)
        first = nil
        promise.finish()
        #expect(try await iterator.next()?.1 == 10)
        #expect(try await iterator.next()?.1 == 11)
        #expect(try await iterator.next() == nil)
    }

    @Test func `a loop inside of which elements are emitted sees them too`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        promise.success(0)
        var count = 0
        for try await value in subscription {
            count += 1
            if value < 10_000 { promise.success(value + 1) } else { promise.finish() }
        }
        #expect(count == 10_001)
    }

    @Test func `a callback can wait for what a loop does with its element`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        let trigger = Promise<Void>()
        let done = Promise<Int>()
        let loop = Task {
            for await result in subscription.results { done.success(result.value ?? 0) }
        }
        let queue = DispatchQueue(label: "callback")
        let answer = trigger.future.map(context: queue) {
            // Emitted inside of a callback, and needed before it returns.
            promise.success(5)
            return try done.future.wait(timeout: .seconds(1_000))
        }
        trigger.success()
        #expect(await answer.outcome.value == 5)
        promise.finish()
        await loop.value
    }
}

extension StreamLoopTests {
    @Test @MainActor func `what a buffer drops may detach a callback of the main queue that is about to be called`()
        async throws
    {
        final class AtDeinit: Sendable {
            let action: @Sendable () -> Void
            init(_ action: @escaping @Sendable () -> Void) { self.action = action }
            deinit { action() }
        }
        let promise = StreamPromise<AtDeinit>(capacity: 0)
        let token = CancelToken()
        let detached = Lock(0)
        let other = Lock(0)
        promise.stream.onSuccess(context: QueueContext.mainImmediate, cancelToken: token) { _ in
            detached.withLock { $0 += 1 }
        }
        promise.stream.onSuccess(context: QueueContext.main) { _ in other.withLock { $0 += 1 } }
        let subscription = promise.stream.subscription(buffering: .newest(1))
        promise.success(AtDeinit { token.cancel() })
        await until { other.withLock { $0 } == 1 }
        promise.success(AtDeinit {})
        await until { other.withLock { $0 } == 2 }
        #expect(detached.withLock { $0 } == 1)
        withExtendedLifetime(subscription) {}
    }
}

extension Array {
    /// What a sequence gives until its end.
    fileprivate init<S: AsyncSequence>(_ sequence: S) async throws where S.Element == Element {
        self.init()
        for try await element in sequence { append(element) }
    }
}
