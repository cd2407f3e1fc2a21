import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

/// A user's context that can stop: it drops its tasks and all later ones.
private final class StoppingContext: ExecutionContext {
    private let state = Lock<[@Sendable () -> Void]?>([])

    func execute(_ task: @escaping @Sendable () -> Void) {
        state.withLock { $0?.append(task) }
    }

    func run() {
        while let task = state.withLock({ $0?.isEmpty == false ? $0?.removeFirst() : nil }) { task() }
    }

    func stop() { _ = state.exchange(nil) }
}

@Suite("Programmer errors: contexts", .watchdog)
struct ContextFaultTests {
    @Test func `when a context stops, futures that depend on waiting or later tasks are broken`() {
        let context = StoppingContext()
        let source = Future<Int>()
        let before = source.map(context: context) { $0 }
        let heard = Log<Int>()
        source.onSuccess(context: context) { heard.add($0) }
        let stream = FutureStream<Int>()
        let derived = stream.map(context: context) { $0 }
        source.success(1)
        stream.success(1)
        #expect(before.ended == .pending)
        context.stop()
        #expect(before.ended == .broken)
        #expect(derived.state == [.broken, .finish])
        #expect(source.map(context: context) { $0 }.ended == .broken)
        #expect(heard.all.isEmpty)
        #expect(source.observerCount == 0)
    }

    @Test func `callbacks of a stopped context are released`() {
        let context = StoppingContext()
        let source = Future(value: 1)
        let watch = Watch { probe in source.onSuccess(context: context) { _ in probe.use() } }
        #expect(!watch.isReleased)
        context.stop()
        #expect(watch.isReleased)
    }

    @Test func `while a queue is blocked others continue, and waits for it can time out or be canceled`() {
        let queue = DispatchQueue(label: "blocked")
        let (isBlocked, gate) = (Gate(), Gate())
        queue.async {
            isBlocked.open()
            gate.pass()
        }
        isBlocked.pass()
        let (clock, token) = (ManualContext(), CancelToken())
        let source = Future<Int>()
        let heard = Log<Int>()
        let waiting = source.map(context: queue) { $0 }
        let late = waiting.timeout(.seconds(30), context: clock)
        let cancelled = source.map(context: queue, cancelToken: token) { value in
            heard.add(-1)
            return value
        }
        for number in 0..<3 { source.onSuccess(context: queue) { heard.add($0 + number) } }
        source.success(1)
        #expect(source.map(context: immediate) { $0 }.ended == .success(1))
        clock.advance(by: .seconds(30))
        token.cancel()
        #expect(late.ended == .failure(FuturesError.timedOut))
        #expect(cancelled.isCancelled)
        #expect(waiting.ended == .pending)
        gate.open()
        queue.sync {}
        #expect(waiting.ended == .success(1))
        #expect(heard.all == [1, 2, 3])
    }

    @Test func `a hundred thousand elements for a blocked queue wait in order, and none is lost`() {
        let queue = DispatchQueue(label: "blocked")
        let (isBlocked, gate) = (Gate(), Gate())
        queue.async {
            isBlocked.open()
            gate.pass()
        }
        isBlocked.pass()
        let count = Stress.size(10_000, full: 100_000)
        let stream = FutureStream<Int>(capacity: 0)
        let heard = Box<[Int]>([])
        let end = Gate()
        stream.onSuccess(context: queue) { heard.append($0) }
        stream.onFinish(context: queue) { end.open() }
        for value in 0..<count { stream.success(value) }
        stream.finish()
        #expect(heard.value.isEmpty)
        gate.open()
        end.pass()
        #expect(heard.value == Array(0..<count))
    }
}
