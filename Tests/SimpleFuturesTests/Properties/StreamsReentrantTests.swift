import Dispatch
import SimpleFutures
import Testing

@Suite("Streams: calls from inside their own callbacks", .watchdog)
struct StreamsReentrantTests {
    @Test(arguments: Place.allCases)
    func `a callback may subscribe, and the new one gets the history and what follows`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Notes<String>([])
        stream.onSuccess(context: spot.context) { value in
            log.append("a\(value)")
            if value == 2 { stream.onSuccess(context: spot.context) { log.append("c\($0)") } }
        }
        stream.onSuccess(context: spot.context) { log.append("b\($0)") }
        for value in 1...3 {
            stream.success(value)
            spot.settle()
        }
        #expect(log.value == ["a1", "b1", "a2", "c1", "b2", "c2", "a3", "b3", "c3"])
    }

    @Test(arguments: Place.allCases)
    func `a callback may finish the stream, and the others get what was emitted before`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Notes<String>([])
        stream.onSuccess(context: spot.context) { value in
            log.append("a\(value)")
            stream.success(value + 1)
            stream.finish()
        }
        stream.onSuccess(context: spot.context) { log.append("b\($0)") }
        stream.onFinish(context: spot.context) { log.append("finish") }
        Reports.during { _ in
            stream.success(1)
            spot.settle()
            spot.settle()
        }
        #expect(log.value == ["a1", "b1", "a2", "b2", "finish"])
        #expect(stream.state == [1, 2, .finish])
    }

    @Test(arguments: Place.allCases)
    func `the only callback may emit, and gets that when it returns`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Notes<Int>([])
        stream.onSuccess(context: spot.context) { value in
            if value < 3 { stream.success(value + 1) }
            log.append(value)
        }
        stream.success(1)
        spot.settle()
        #expect(log.value == [1, 2, 3])
    }

    @Test(arguments: Place.allCases)
    func `the only callback may finish the stream, and the end comes when it returns`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        let log = Notes<String>([])
        let derived = stream.map(context: spot.context) { value in
            stream.finish()
            log.append("\(value)")
            return value
        }
        derived.onFinish(context: immediate) { log.append("finish") }
        stream.success(1)
        spot.settle()
        #expect(log.value == ["1", "finish"])
        #expect(derived.state == [1, .finish])
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: Place.allCases)
    func `a callback may cancel all, itself included`(_ place: Place) {
        let spot = place.make()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let token = CancelToken()
        let log = Notes<String>([])
        stream.onSuccess(context: spot.context, cancelToken: token) { value in
            log.append("a\(value)")
            token.cancel()
        }
        stream.onSuccess(context: spot.context, cancelToken: token) { log.append("b\($0)") }
        stream.onFinish(context: spot.context, cancelToken: token) { log.append("finish") }
        let derived = stream.map(context: spot.context, cancelToken: token) { $0 }
        for value in 1...2 { stream.success(value) }
        spot.settle()
        stream.finish()
        spot.settle()
        #expect(log.value == ["a1"])
        #expect(derived.isCancelled)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `onFinish and onCancel may subscribe and emit`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let other = FutureStream<Int>()
        defer { other.finish() }
        let log = Notes<String>([])
        other.onSuccess(context: immediate) { log.append("other\($0)") }
        stream.onFinish(context: immediate) {
            log.append("finish")
            stream.onSuccess(context: immediate) { log.append("late\($0)") }
            stream.onFinish(context: immediate) { log.append("late finish") }
            other.success(1)
        }
        stream.success(1)
        stream.finish()
        #expect(log.value.first == "finish")
        #expect(Set(log.value) == ["finish", "late1", "late finish", "other1"])
        #expect(log.value.firstIndex(of: "late1")! < log.value.firstIndex(of: "late finish")!)
    }

    @Test func `a callback may run the tasks of its own manual context`() {
        let context = ManualContext()
        let stream = FutureStream<Int>()
        defer {
            stream.finish()
            context.run()
        }
        let log = Notes<String>([])
        stream.onSuccess(context: context) { value in
            log.append("a\(value)")
            if value == 1 {
                stream.success(2)
                context.run()
            }
            log.append("end of a\(value)")
        }
        stream.onSuccess(context: context) { log.append("b\($0)") }
        stream.success(1)
        context.run()
        #expect(log.value == ["a1", "end of a1", "b1", "a2", "end of a2", "b2"])
    }

    @Test(.watchdog)
    func `a callback may wait for what another callback of the same stream does with the same element`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let log = Notes<Int>([])
        stream.onSuccess(context: immediate) { value in
            log.append((try? second.future.wait(timeout: .seconds(600))) ?? -1)
            log.append(value)
        }
        stream.onSuccess(context: immediate) { second.trySuccess($0 * 10) }
        stream.success(1)
        #expect(log.value == [10, 1])
    }

    @Test(.watchdog)
    func `a callback may wait for what another callback of the same stream does with a later element`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let log = Notes<Int>([])
        stream.onSuccess(context: immediate) { value in
            log.append(value)
            guard value == 1 else { return }
            stream.success(2)
            log.append((try? second.future.wait(timeout: .seconds(600))) ?? -1)
        }
        stream.onSuccess(context: immediate) { if $0 == 2 { second.success(20) } }
        stream.success(1)
        #expect(log.value == [1, 20, 2])
    }

    @Test(.watchdog)
    func `a callback may wait for what is derived from its own stream`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Notes<Int>([])
        let last = Future<Int>()
        stream.onSuccess(context: immediate) { value in
            guard value == 1 else { return }
            stream.success(2)
            stream.success(3)
            log.append((try? last.wait(timeout: .seconds(600))) ?? -1)
        }
        last.completeWith(
            stream: stream.map(context: immediate) { $0 * 10 }
                .flatMap(context: immediate) { FutureStream(value: $0) }
                .merge(FutureStream())
                .drop(2))
        stream.success(1)
        #expect(log.value == [30])
    }

    @Test(.watchdog)
    func `a callback may wait for a derived stream to end that it ends itself`() {
        let source = FutureStream<Int>()
        defer { source.finish() }
        let token = CancelToken()
        let ends = [Promise<Int>(), Promise<Int>()]
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        derived.onCancel(context: immediate) { ends[0].success(1) }
        let other = FutureStream<Int>()
        defer { other.finish() }
        other.onFinish(context: immediate) { ends[1].success(2) }
        let log = Notes<Int>([])
        source.onSuccess(context: immediate) { _ in
            token.cancel()
            other.finish()
            for end in ends { log.append((try? end.future.wait(timeout: .seconds(600))) ?? -1) }
        }
        source.success(1)
        #expect(log.value == [1, 2])
    }

    @Test(.watchdog)
    func `nested waits keep each subscriber's order`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let log = Notes<String>([])
        let gates = (0...5).map { _ in Promise<Int>() }
        stream.onSuccess(context: immediate) { value in
            log.append("a\(value)")
            if value < 5 { stream.success(value + 1) }
            _ = try? gates[value].future.wait(timeout: .seconds(600))
        }
        stream.onSuccess(context: immediate) { value in
            log.append("b\(value)")
            gates[value].success(value)
        }
        stream.success(1)
        #expect(log.value.filter { $0.hasPrefix("a") } == (1...5).map { "a\($0)" })
        #expect(log.value.filter { $0.hasPrefix("b") } == (1...5).map { "b\($0)" })
    }

    @Test(.watchdog)
    func `a callback may wait for what another one does with an element that another thread emits meanwhile`() {
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let heard = Box(-1)
        stream.onSuccess(context: immediate) { value in
            guard value == 1 else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { stream.success(2) }
            heard.value = (try? second.future.wait(timeout: .seconds(600))) ?? -1
        }
        stream.onSuccess(context: immediate) { if $0 == 2 { second.trySuccess(20) } }
        stream.success(1)
        #expect(heard.value == 20)
    }

    @Test(.watchdog)
    func `on a user's inline context a callback may wait for another one`() {
        let context = InlineContext()
        let stream = FutureStream<Int>()
        defer { stream.finish() }
        let second = Promise<Int>()
        let heard = Box(-1)
        stream.onSuccess(context: context) { _ in
            heard.value = (try? second.future.wait(timeout: .milliseconds(50))) ?? -1
        }
        stream.onSuccess(context: context) { second.trySuccess($0 * 10) }
        stream.success(1)
        #expect(heard.value == 10)
    }
}
