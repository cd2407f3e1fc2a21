import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams: calls from their own callbacks", .watchdog)
struct ReentrantTests {
    @Test(arguments: Place.allCases)
    func `a callback can subscribe another one, which gets the replay buffer and all later elements`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Log<String>()
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

    @Test(arguments: Place.allCases)
    func `a callback can finish the stream, and the others get all elements emitted before`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Log<String>()
        stream.onSuccess(context: spot.context) { value in
            log.add("a\(value)")
            stream.success(value + 1)
            stream.finish()
        }
        stream.onSuccess(context: spot.context) { log.add("b\($0)") }
        stream.onFinish(context: spot.context) { log.add("finish") }
        Reports.during { _ in
            stream.success(1)
            spot.settle()
            spot.settle()
        }
        #expect(log.all == ["a1", "b1", "a2", "b2", "finish"])
        #expect(stream.state == [1, 2, .finish])
    }

    @Test(arguments: Place.allCases)
    func `the only callback can emit, and gets the element after it returns`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Log<Int>()
        stream.onSuccess(context: spot.context) { value in
            if value < 3 { stream.success(value + 1) }
            log.add(value)
        }
        stream.success(1)
        spot.settle()
        #expect(log.all == [1, 2, 3])
    }

    @Test(arguments: Place.allCases)
    func `the only callback can finish the stream, and the end is delivered when it returns`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        let log = Log<String>()
        let derived = stream.map(context: spot.context) { value in
            stream.finish()
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
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let token = CancelToken()
        let log = Log<String>()
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

    @Test func `onFinish and onCancel can subscribe and emit`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let other = FutureStream<Int>()
        defer { other.finish() }
        let log = Log<String>()
        other.onSuccess(context: immediate) { log.add("other\($0)") }
        stream.onFinish(context: immediate) {
            log.add("finish")
            stream.onSuccess(context: immediate) { log.add("late\($0)") }
            stream.onFinish(context: immediate) { log.add("late finish") }
            other.success(1)
        }
        stream.success(1)
        stream.finish()
        #expect(log.all.first == "finish")
        #expect(Set(log.all) == ["finish", "late1", "late finish", "other1"])
        #expect(log.all.firstIndex(of: "late1")! < log.all.firstIndex(of: "late finish")!)
    }

    @Test func `a callback can run the tasks of its own manual context`() {
        let context = ManualContext()
        let stream = FutureStream<Int>()
        defer {
            stream.finish()
            context.run()
        }
        let log = Log<String>()
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

    @Test
    func `a callback can wait until another callback of its stream handles the same element`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let log = Log<Int>()
        stream.onSuccess(context: immediate) { value in
            log.add((try? second.future.wait(timeout: .seconds(600))) ?? -1)
            log.add(value)
        }
        stream.onSuccess(context: immediate) { second.trySuccess($0 * 10) }
        stream.success(1)
        #expect(log.all == [10, 1])
    }

    @Test
    func `a callback can wait until another callback of its stream handles a later element`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let log = Log<Int>()
        stream.onSuccess(context: immediate) { value in
            log.add(value)
            guard value == 1 else { return }
            stream.success(2)
            log.add((try? second.future.wait(timeout: .seconds(600))) ?? -1)
        }
        stream.onSuccess(context: immediate) { if $0 == 2 { second.success(20) } }
        stream.success(1)
        #expect(log.all == [1, 20, 2])
    }

    @Test
    func `a callback can wait for a stream derived from its own stream`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Log<Int>()
        let last = Future<Int>()
        stream.onSuccess(context: immediate) { value in
            guard value == 1 else { return }
            stream.success(2)
            stream.success(3)
            log.add((try? last.wait(timeout: .seconds(600))) ?? -1)
        }
        last.completeWith(
            stream: stream.map(context: immediate) { $0 * 10 }
                .flatMap(context: immediate) { FutureStream(value: $0) }
                .merge(FutureStream())
                .drop(2))
        stream.success(1)
        #expect(log.all == [30])
    }

    @Test
    func `a callback can wait for the end of a derived stream that it ends itself`() {
        let source = FutureStream<Int>()
        defer { source.finish() }
        let token = CancelToken()
        let ends = [Promise<Int>(), Promise<Int>()]
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        derived.onCancel(context: immediate) { ends[0].success(1) }
        let other = FutureStream<Int>()
        defer { other.finish() }
        other.onFinish(context: immediate) { ends[1].success(2) }
        let log = Log<Int>()
        source.onSuccess(context: immediate) { _ in
            token.cancel()
            other.finish()
            for end in ends { log.add((try? end.future.wait(timeout: .seconds(600))) ?? -1) }
        }
        source.success(1)
        #expect(log.all == [1, 2])
    }

    @Test
    func `nested waits keep the order of elements for each subscriber`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Log<String>()
        let gates = (0...5).map { _ in Promise<Int>() }
        stream.onSuccess(context: immediate) { value in
            log.add("a\(value)")
            if value < 5 { stream.success(value + 1) }
            _ = try? gates[value].future.wait(timeout: .seconds(600))
        }
        stream.onSuccess(context: immediate) { value in
            log.add("b\(value)")
            gates[value].success(value)
        }
        stream.success(1)
        #expect(log.all.filter { $0.hasPrefix("a") } == (1...5).map { "a\($0)" })
        #expect(log.all.filter { $0.hasPrefix("b") } == (1...5).map { "b\($0)" })
    }

    @Test
    func `a callback can wait until another callback gets an element that another thread emits`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let heard = Box(-1)
        stream.onSuccess(context: immediate) { value in
            guard value == 1 else { return }
            DispatchQueue.global().async {
                // Loop until the callback waits.
                while second.future.observerCount == 0 {}
                stream.success(2)
            }
            heard.value = (try? second.future.wait(timeout: .seconds(600))) ?? -1
        }
        stream.onSuccess(context: immediate) { if $0 == 2 { second.trySuccess(20) } }
        stream.success(1)
        #expect(heard.value == 20)
    }

    @Test
    func `on a user's inline context a callback can wait for another one`() {
        let context = InlineContext()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let heard = Box(-1)
        stream.onSuccess(context: context) { _ in
            heard.value = (try? second.future.wait(timeout: .seconds(600))) ?? -1
        }
        stream.onSuccess(context: context) { second.trySuccess($0 * 10) }
        stream.success(1)
        #expect(heard.value == 10)
    }
}
