import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

/// If elements are pending for a single subscriber, they are delivered to it as one batch.
///
/// Events during the batch must still take effect from the next element on.
@Suite("Streams with pending elements", .watchdog)
struct StreamStretchTests {
    /// Elements that are emitted before the context runs its task.
    private let elements = 1...5

    /// Makes a stream whose callback `a` is given a batch of elements, and acts on the third one.
    private func stream(
        _ log: Log<String>, on context: any ExecutionContext, under token: CancelToken = .none,
        onThird act: @escaping @Sendable () -> Void
    ) -> FutureStream<Int> {
        let stream = FutureStream<Int>()
        stream.onSuccess(context: context, cancelToken: token) {
            log.add("a\($0)")
            if $0 == 3 { act() }
        }
        for element in elements { stream.success(element) }
        return stream
    }

    @Test func `a subscriber that joins in a callback catches up before the next element`() {
        let log = Log<String>()
        let manual = ManualContext()
        let stream = Held<FutureStream<Int>>()
        stream.value = self.stream(log, on: manual) {
            stream.value?.onSuccess(context: manual) { log.add("b\($0)") }
        }
        manual.run()
        #expect(log.all == ["a1", "a2", "a3", "b1", "b2", "b3", "a4", "b4", "a5", "b5"])
        stream.value = nil
        // End the stream, which releases the context that its callbacks hold.
        manual.run()
    }

    @Test func `a subscriber that joins on another thread catches up before the next element`() async {
        let log = Log<String>()
        let (isThere, hasJoined, end) = (Gate(), Gate(), Gate())
        let queue = DispatchQueue(label: "stretch")
        queue.suspend()
        let stream = self.stream(log, on: queue) {
            isThere.open()
            hasJoined.pass()
        }
        queue.resume()
        await onThread {
            isThere.pass()
            stream.onSuccess(context: queue) {
                log.add("b\($0)")
                if $0 == 5 { end.open() }
            }
            hasJoined.open()
            end.pass()
        }
        #expect(log.all == ["a1", "a2", "a3", "b1", "b2", "b3", "a4", "b4", "a5", "b5"])
    }

    @Test(arguments: [true, false])
    func `a subscriber canceled in a callback gets no further element`(byToken: Bool) {
        let log = Log<String>()
        let manual = ManualContext()
        let token = CancelToken()
        let stream = Held<FutureStream<Int>>()
        stream.value = self.stream(log, on: manual, under: token) {
            if byToken { token.cancel() } else { stream.value?.cancel(token) }
        }
        manual.run()
        #expect(log.all == ["a1", "a2", "a3"])
        stream.value = nil
        // End the stream, which releases the context that its callbacks hold.
        manual.run()
    }

    @Test(arguments: [true, false])
    func `a subscriber canceled on another thread gets no further element, and its running callback keeps its captures`(
        byToken: Bool
    ) async {
        let log = Log<String>()
        let (isThere, isDetached, hasRun) = (Gate(), Gate(), Gate())
        let queue = DispatchQueue(label: "stretch")
        let token = CancelToken()
        queue.suspend()
        let stream = self.stream(log, on: queue, under: token) {
            isThere.open()
            isDetached.pass()
        }
        queue.resume()
        queue.async { hasRun.open() }
        await onThread {
            isThere.pass()
            if byToken { token.cancel() } else { stream.cancel(token) }
            isDetached.open()
            hasRun.pass()
        }
        #expect(log.all == ["a1", "a2", "a3"])
    }

    @Test func `a callback canceled while it runs is released when it returns`() async {
        let (isThere, isDetached, hasRun) = (Gate(), Gate(), Gate())
        let queue = DispatchQueue(label: "stretch")
        let token = CancelToken()
        let stream = FutureStream<Int>(capacity: 0)
        let uses = Log<Bool>()
        weak var capture: Held<Int>?
        do {
            let held = Held<Int>()
            capture = held
            stream.onSuccess(context: queue, cancelToken: token) { [weak weakly = held] _ in
                isThere.open()
                isDetached.pass()
                uses.add(weakly != nil)
                held.value = 1
            }
        }
        stream.success(1)
        queue.async { hasRun.open() }
        await onThread {
            isThere.pass()
            stream.cancel(token)
            isDetached.open()
            hasRun.pass()
            // The queue has released the task when it runs the next one.
            queue.sync {}
        }
        #expect(uses.all == [true])
        #expect(capture == nil)
    }

    @Test func `a subscriber that joins while a callback waits gets its elements at once`() {
        let log = Log<String>()
        let manual = ManualContext()
        let stream = Held<FutureStream<Int>>()
        let last = Promise<Int>()
        stream.value = self.stream(log, on: manual) {
            stream.value?.onSuccess(context: manual) {
                log.add("b\($0)")
                if $0 == 5 { last.success($0) }
            }
            log.add("waited for \((try? last.future.wait(timeout: .seconds(600))) ?? -1)")
        }
        manual.run()
        #expect(
            log.all == ["a1", "a2", "a3", "b1", "b2", "b3", "b4", "b5", "waited for 5", "a4", "a5"])
        stream.value = nil
        // End the stream, which releases the context that its callbacks hold.
        manual.run()
    }

    @Test func `errors in between are skipped, or passed on at their place`() {
        let log = Log<String>()
        let manual = ManualContext()
        let (skipping, passing) = (FutureStream<Int>(), FutureStream<Int>())
        skipping.onSuccess(context: manual) { log.add("\($0)") }
        passing.map(context: manual) { $0 * 10 }.onComplete(context: immediate) {
            log.add($0.value.map(String.init) ?? "error")
        }
        for stream in [skipping, passing] {
            stream.success(1)
            stream.failure(Oops.source)
            stream.success(2)
            stream.failure(Oops.source)
        }
        manual.run()
        #expect(log.all == ["1", "2", "10", "error", "20", "error"])
    }

    @Test func `a callback on another context that an element causes runs before the next element`() {
        let log = Log<String>()
        let manual = ManualContext()
        let effects = FutureStream<Int>(capacity: 0)
        effects.onSuccess(context: immediate) { log.add("effect \($0)") }
        let stream = FutureStream<Int>(capacity: 0)
        stream.onSuccess(context: manual) {
            log.add("a\($0)")
            effects.success($0)
        }
        for element in 1...3 { stream.success(element) }
        manual.run()
        #expect(log.all == ["a1", "effect 1", "a2", "effect 2", "a3", "effect 3"])
    }

    @Test func `all elements of a batch are released after it`() {
        let manual = ManualContext()
        let stream = FutureStream<Held<Int>>(capacity: 0)
        stream.onComplete(context: manual) { _ in }
        let all = (0..<200).map { _ in WeakHeld() }
        for each in all {
            let element = Held<Int>()
            each.value = element
            stream.success(element)
            stream.failure(Oops.source)
        }
        #expect(all.allSatisfy { $0.value != nil })
        manual.run()
        #expect(all.allSatisfy { $0.value == nil })
    }
}

/// A value in a class instance.
private final class Held<Value: Sendable>: Sendable {
    private let lock = Lock<Value?>(nil)

    var value: Value? {
        get { lock.withLock { $0 } }
        set { lock.exchange(newValue) }
    }
}

private final class WeakHeld {
    weak var value: Held<Int>?
}
