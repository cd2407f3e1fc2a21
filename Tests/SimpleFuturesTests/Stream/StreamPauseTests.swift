import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams whose elements are delivered in turns", .watchdog)
struct StreamPauseTests {
    private let log = Log<String>()

    /// Runs code inside a callback of another stream.
    private func inCallback(_ body: @escaping @Sendable () -> Void) {
        let trigger = FutureStream<Void>(capacity: 0)
        trigger.onSuccess(context: immediate) { body() }
        trigger.success()
        trigger.finish()
    }

    @Test func `elements of several streams that are pending after a callback are delivered in turns`() {
        let streams = ["a", "b", "c"].map { name in
            let stream = FutureStream<Int>(capacity: 0)
            stream.onSuccess(context: immediate) { [log] in log.add("\(name)\($0)") }
            return stream
        }
        inCallback { for stream in streams { for number in 1...3 { stream.success(number) } } }
        #expect(log.all == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
    }

    @Test func `pending elements are delivered to a waiting callback, each once`() {
        let streams = [FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0)]
        let last = Promise<Int>()
        streams[0].onSuccess(context: immediate) { [log] number in
            log.add("a\(number)")
            guard number == 2 else { return }
            log.add("waited for \((try? last.future.wait(timeout: .seconds(600))) ?? -1)")
        }
        streams[1].onSuccess(context: immediate) { [log] number in
            log.add("b\(number)")
            if number == 3 { last.success(number) }
        }
        inCallback { for stream in streams { for number in 1...3 { stream.success(number) } } }
        for stream in streams { stream.success(4) }
        #expect(log.all == ["a1", "b1", "a2", "b2", "b3", "waited for 3", "a3", "a4", "b4"])
    }

    @Test func `a subscriber that is unsubscribed before its turn gets no element, but the next one does`() {
        let streams = [FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0)]
        let token = CancelToken()
        streams[0].onSuccess(context: immediate, cancelToken: token) { [log] in log.add("a\($0)") }
        streams[1].onSuccess(context: immediate) { [log] number in
            log.add("b\(number)")
            if number == 1 { token.cancel() }
        }
        inCallback { for stream in streams { for number in 1...2 { stream.success(number) } } }
        streams[0].onSuccess(context: immediate) { [log] in log.add("new a\($0)") }
        streams[0].success(3)
        #expect(log.all == ["a1", "b1", "b2", "new a3"])
    }

    @Test func `the only subscriber can be unsubscribed between an emission and its turn, and another one can come`() {
        let (stream, token) = (FutureStream<Int>(capacity: 1), CancelToken())
        weak var captured: Probe?
        do {
            let probe = Probe()
            captured = probe
            stream.onSuccess(context: immediate, cancelToken: token) { [log] in
                probe.use()
                log.add("old \($0)")
            }
        }
        inCallback { [log] in
            stream.success(1)
            token.cancel()
            stream.onSuccess(context: immediate) { log.add("new \($0)") }
        }
        #expect(captured == nil)
        stream.success(2)
        stream.finish()
        #expect(log.all == ["new 1", "new 2"])
    }

    @Test func `a derived stream that ends between an emission and its turn does not call its closure`() {
        let stream = FutureStream<Int>(capacity: 0)
        let derived = stream.map(context: immediate) { [log] number in
            log.add("mapped \(number)")
            return number
        }
        derived.onSuccess(context: immediate) { [log] in log.add("derived \($0)") }
        inCallback {
            stream.success(1)
            derived.finish()
        }
        stream.success(2)
        stream.finish()
        #expect(log.all == [])
    }

    @Test func `between an emission and its turn others can subscribe, and the stream can finish`() {
        let stream = FutureStream<Int>(capacity: 1)
        stream.onSuccess(context: immediate) { [log] in log.add("first \($0)") }
        stream.onFinish(context: immediate) { [log] in log.add("end") }
        inCallback { [log] in
            stream.success(1)
            stream.onSuccess(context: immediate) { log.add("second \($0)") }
            stream.success(2)
            stream.finish()
        }
        #expect(log.all == ["first 1", "second 1", "first 2", "second 2", "end"])
    }

    @Test func `a wait that is over does not stop a waiter's elements`() {
        let (stream, trigger) = (FutureStream<Int>(capacity: 0), FutureStream<Void>(capacity: 0))
        let (numbers, awaited) = (Log<Int>(), Promise<Void>())
        stream.core.subscribe(
            sink: Subscriber(.success) { event, _ in
                numbers.add(event.value(as: Int.self))
                guard numbers.count == 1 else { return }
                let hasEmitted = Signal()
                DispatchQueue.global().async {
                    stream.success(2)
                    hasEmitted.open()
                }
                #expect(hasEmitted.pass())
            })
        trigger.onSuccess(context: immediate) { _ in
            awaited.success()
            stream.success(1)
        }
        inCallback {
            trigger.success()
            _ = try? awaited.future.wait(timeout: .seconds(600))
        }
        stream.success(3)
        #expect(numbers.all == [1, 2, 3])
        trigger.finish()
        stream.finish()
    }
}
