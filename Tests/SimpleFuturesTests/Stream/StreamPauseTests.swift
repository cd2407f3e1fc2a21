import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams whose elements are delivered in turns", .watchdog)
struct StreamPauseTests {
    /// Runs a closure on a thread of its own; returns false if it does not return.
    private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            body()
            done.signal()
        }
        return done.wait(timeout: Watchdog.deadline) == .success
    }

    @Test func `elements of several streams that are pending after a callback are delivered in turns`() {
        let log = Log<String>()
        let hasEnded = ends {
            let streams = ["a", "b", "c"].map { name in
                let stream = FutureStream<Int>(capacity: 0)
                stream.onSuccess(context: immediate) { log.add("\(name)\($0)") }
                return stream
            }
            let trigger = FutureStream<Void>(capacity: 0)
            defer { trigger.finish() }
            trigger.onSuccess(context: immediate) {
                for stream in streams { for number in 1...3 { stream.success(number) } }
            }
            trigger.success()
        }
        #expect(hasEnded)
        #expect(log.all == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
    }

    @Test func `pending elements are delivered to a waiting callback, each once`() {
        let log = Log<String>()
        let hasEnded = ends {
            let streams = [FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0)]
            let last = Promise<Int>()
            streams[0].onSuccess(context: immediate) { number in
                log.add("a\(number)")
                guard number == 2 else { return }
                log.add("waited for \((try? last.future.wait(timeout: .seconds(600))) ?? -1)")
            }
            streams[1].onSuccess(context: immediate) { number in
                log.add("b\(number)")
                if number == 3 { last.success(number) }
            }
            let trigger = FutureStream<Void>(capacity: 0)
            defer { trigger.finish() }
            trigger.onSuccess(context: immediate) {
                for stream in streams { for number in 1...3 { stream.success(number) } }
            }
            trigger.success()
            for stream in streams { stream.success(4) }
        }
        #expect(hasEnded)
        #expect(log.all == ["a1", "b1", "a2", "b2", "b3", "waited for 3", "a3", "a4", "b4"])
    }

    @Test func `a subscriber that is unsubscribed before its turn gets no element, but the next one does`() {
        let log = Log<String>()
        let hasEnded = ends {
            let streams = [FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0)]
            let token = CancelToken()
            streams[0].onSuccess(context: immediate, cancelToken: token) { log.add("a\($0)") }
            streams[1].onSuccess(context: immediate) { number in
                log.add("b\(number)")
                if number == 1 { token.cancel() }
            }
            let trigger = FutureStream<Void>(capacity: 0)
            defer { trigger.finish() }
            trigger.onSuccess(context: immediate) {
                for stream in streams { for number in 1...2 { stream.success(number) } }
            }
            trigger.success()
            streams[0].onSuccess(context: immediate) { log.add("new a\($0)") }
            streams[0].success(3)
        }
        #expect(hasEnded)
        #expect(log.all == ["a1", "b1", "b2", "new a3"])
    }

    @Test func `tasks of an inline context run inside it, even when they run in turns`() {
        let context = EnclosingContext()
        let log = Log<Bool>()
        let hasEnded = ends {
            let stream = FutureStream<Int>(capacity: 0)
            defer { stream.finish() }
            let other = FutureStream<Int>(capacity: 0)
            defer { other.finish() }
            other.onSuccess(context: immediate) { _ in }
            stream.onSuccess(context: context) { number in
                log.add(context.isInside)
                other.success(number)
            }
            let trigger = FutureStream<Void>(capacity: 0)
            defer { trigger.finish() }
            trigger.onSuccess(context: immediate) { for number in 1...3 { stream.success(number) } }
            trigger.success()
        }
        #expect(hasEnded)
        #expect(log.all == [true, true, true])
    }

    @Test func `after a wait, a callback does not deliver elements that another thread is delivering`() {
        let log = Log<String>()
        let hasEnded = ends {
            let stream = FutureStream<Int>(capacity: 0)
            defer { stream.finish() }
            let (begun, mayEnd, isOver) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            stream.onSuccess(context: immediate) { number in
                guard number == 1 else { return }
                ImmediateContext.runPending()
                DispatchQueue.global().async {
                    stream.success(2)
                    isOver.signal()
                }
                begun.wait()
                ImmediateContext.runPending()
                log.add("a1")
            }
            stream.onSuccess(context: immediate) { number in
                if number == 2 {
                    begun.signal()
                    mayEnd.wait()
                }
                log.add("b\(number)")
            }
            stream.onSuccess(context: immediate) { log.add("c\($0)") }
            stream.success(1)
            log.add("returned")
            mayEnd.signal()
            isOver.wait()
        }
        #expect(hasEnded)
        #expect(log.all == ["b1", "c1", "a1", "returned", "b2", "c2"])
    }

    @Test func `after a wait, a callback does not end a delivery that another thread has deferred`() {
        let log = Log<String>()
        let hasEnded = ends {
            let stream = FutureStream<Int>()
            defer { stream.finish() }
            let token = CancelToken()
            let (hasPutOff, mayDeliver, step, mayEnd) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
                DispatchSemaphore(value: 0)
            )
            stream.onSuccess(context: immediate) { number in
                if number == 1 {
                    ImmediateContext.runPending()
                    DispatchQueue.global().async {
                        Future(value: ()).onSuccess(context: immediate) { _ in
                            // Deferred until this callback returns; it is unsubscribed by then.
                            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
                            token.cancel()
                            hasPutOff.signal()
                            mayDeliver.wait()
                        }
                        step.signal()
                    }
                    hasPutOff.wait()
                } else {
                    step.signal()
                    mayEnd.wait()
                }
                log.add("a\(number)")
            }
            stream.success(1)
            DispatchQueue.global().async {
                stream.success(2)
                step.signal()
            }
            step.wait()
            mayDeliver.signal()
            step.wait()
            // The callback above is running, so this one has to wait for it.
            stream.onSuccess(context: immediate) { log.add("b\($0)") }
            mayEnd.signal()
            step.wait()
        }
        #expect(hasEnded)
        #expect(log.all == ["a1", "a2", "b1", "b2"])
    }

    @Test func `the end is delivered after a waiting callback, even by another thread`() {
        let log = Log<String>()
        let hasEnded = ends {
            let stream = FutureStream<Int>(capacity: 0)
            let isFinished = DispatchSemaphore(value: 0)
            stream.onSuccess(context: immediate) { number in
                if number == 1 {
                    ImmediateContext.runPending()
                    DispatchQueue.global().async {
                        stream.success(2)
                        stream.finish()
                        isFinished.signal()
                    }
                    isFinished.wait()
                }
                log.add("a\(number)")
            }
            stream.onSuccess(context: immediate) { log.add("b\($0)") }
            stream.onFinish(context: immediate) { log.add("finish") }
            stream.success(1)
        }
        #expect(hasEnded)
        #expect(log.all == ["b1", "b2", "a1", "a2", "finish"])
    }
}

/// A user's context that runs tasks at once, and knows whether a task is running.
private final class EnclosingContext: ExecutionContext {
    private let depth = Lock(0)

    var isInside: Bool { depth.withLock { $0 > 0 } }

    func execute(_ task: @escaping @Sendable () -> Void) {
        depth.withLock { $0 += 1 }
        task()
        depth.withLock { $0 -= 1 }
    }
}
