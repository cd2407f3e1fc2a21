import NIOCore
import NIOPosix
@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A late consumer gets earlier elements", .timeLimit(.minutes(5)))
struct LateConsumerTests {
    @Test func `AsyncStream keeps all elements for its first consumer, and none for the next`() async {
        let stream = AsyncStream { continuation in
            for element in 1...3 { continuation.yield(element) }
            continuation.finish()
        }
        #expect(await stream.reduce(into: []) { $0.append($1) } == [1, 2, 3])
        #expect(await stream.reduce(into: []) { $0.append($1) } == [])
    }

    @Test func `Combine's PassthroughSubject keeps no element, and CurrentValueSubject the last one`() {
        let (passing, current) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
        for element in 1...3 {
            passing.send(element)
            current.send(element)
        }
        let (fromPassing, fromCurrent) = (Log<Int>(), Log<Int>())
        let sinks = [passing.sink { fromPassing.add($0) }, current.sink { fromCurrent.add($0) }]
        #expect(fromPassing.all == [])
        #expect(fromCurrent.all == [3])
        for sink in sinks { sink.cancel() }
    }

    @Test func `futures keep their value, also in Combine and NIO`() async throws {
        let combine = OpenCombine.Future<Int, Never> { $0(.success(1)) }
        let nio = MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture(1)
        let ours = SimpleFutures.Future(value: 1)
        for _ in 1...2 {
            #expect(await combine.value == 1)
            #expect(try await nio.get() == 1)
            #expect(try await ours.value == 1)
        }
    }

    @Test(arguments: [0, 1, 2, .max])
    func `SimpleFutures replays as many elements as specified to each subscriber, in order`(_ capacity: Int)
        async throws
    {
        let promise = StreamPromise<Int>(capacity: capacity)
        for element in 1...3 { promise.success(element) }
        promise.finish()
        for _ in 1...2 {
            let heard = Log<Int>()
            promise.stream.onSuccess(context: ImmediateContext()) { heard.add($0) }
            #expect(heard.all == [1, 2, 3].suffix(capacity))
            let looped = try await promise.stream.values.reduce(into: []) { $0.append($1) }
            #expect(looped == [1, 2, 3].suffix(capacity))
        }
    }
}
