import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams: calls from their own callbacks", .watchdog)
struct ReentrantTests {
    @Test(arguments: Place.allCases)
    func `a callback can subscribe another one, which gets the replay buffer and all later elements`(_ place: Place) {
        let spot = place.make()
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        defer { stream.finish() }
        stream.onSuccess(context: spot.context) { value in
            log.add("a\(value)")
            if value == 2 { stream.onSuccess(context: spot.context) { log.add("c\($0)") } }
        }
        stream.onSuccess(context: spot.context) { log.add("b\($0)") }
        for value in 1...3 {
            stream.success(value)
            spot.settle()
        }
        #expect(log.all == ["a1", "b1", "a2", "c1", "b2", "c2", "a3", "b3", "c3"])
    }

    @Test(arguments: Place.allCases, [1, 2])
    func `a callback can emit, and the element is delivered after that call to every subscriber`(
        _ place: Place, _ subscribers: Int
    ) {
        let spot = place.make()
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        defer { stream.finish() }
        stream.onSuccess(context: spot.context) { value in
            if value < 5 { stream.success(value + 1) }
            log.add("a\(value)")
        }
        if subscribers == 2 { stream.onSuccess(context: spot.context) { log.add("b\($0)") } }
        stream.success(1)
        for _ in 0..<6 { spot.settle() }
        #expect(log.all == (1...5).flatMap { Array(["a\($0)", "b\($0)"].prefix(subscribers)) })
    }

    @Test(arguments: Place.allCases)
    func `a callback can finish the stream, and the others get all elements emitted before`(_ place: Place) {
        let spot = place.make()
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        defer { stream.finish() }
        stream.onFinish(context: spot.context) { log.add("finish") }
        stream.onSuccess(context: spot.context) { value in
            log.add("a\(value)")
            stream.success(value + 1)
            stream.finish()
        }
        stream.onSuccess(context: spot.context) { log.add("b\($0)") }
        Reports.during { _ in
            stream.success(1)
            spot.settle()
            spot.settle()
        }
        #expect(log.all == ["a1", "b1", "a2", "b2", "finish"])
        #expect(stream.state == [1, 2, .finish])
    }

    @Test(arguments: Place.allCases, [true, false])
    func `the only callback can finish the stream or release its promise, and the end is delivered when it returns`(
        _ place: Place, _ isReleased: Bool
    ) {
        let spot = place.make()
        let (promise, log) = (Box<StreamPromise<Int>?>(StreamPromise()), Log<String>())
        let stream = promise.value!.stream
        let derived = stream.map(context: spot.context) { value in
            if isReleased { promise.value = nil } else { stream.finish() }
            log.add("\(value)")
            return value
        }
        derived.onFinish(context: immediate) { log.add("finish") }
        stream.success(1)
        spot.settle()
        #expect(log.all == ["1", "finish"])
        #expect(derived.state == [1, .finish])
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: Place.allCases)
    func `a callback can cancel all callbacks, itself included`(_ place: Place) {
        let spot = place.make()
        let (stream, token, log) = (FutureStream<Int>(), CancelToken(), Log<String>())
        stream.onSuccess(context: spot.context, cancelToken: token) { value in
            log.add("a\(value)")
            token.cancel()
        }
        stream.onSuccess(context: spot.context, cancelToken: token) { log.add("b\($0)") }
        stream.onFinish(context: spot.context, cancelToken: token) { log.add("finish") }
        let derived = stream.map(context: spot.context, cancelToken: token) { $0 }
        for value in 1...2 { stream.success(value) }
        spot.settle()
        stream.finish()
        spot.settle()
        #expect(log.all == ["a1"])
        #expect(derived.isCancelled)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `a callback can run the tasks of its own manual context`() {
        let context = ManualContext()
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        defer {
            stream.finish()
            context.run()
        }
        stream.onSuccess(context: context) { value in
            log.add("a\(value)")
            if value == 1 {
                stream.success(2)
                context.run()
            }
            log.add("end of a\(value)")
        }
        stream.onSuccess(context: context) { log.add("b\($0)") }
        stream.success(1)
        context.run()
        #expect(log.all == ["a1", "end of a1", "b1", "a2", "end of a2", "b2"])
    }
}
