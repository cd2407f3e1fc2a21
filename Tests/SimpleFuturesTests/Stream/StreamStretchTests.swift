import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

/// If elements are pending for a single subscriber, they are delivered to it as one batch.
///
/// Events during the batch must still take effect from the next element on.
@Suite("Streams with pending elements", .watchdog)
struct StreamStretchTests {
    private let log = Log<String>()
    private let token = CancelToken()

    /// Makes a stream whose callback `a` is given a batch of five elements, and acts on the third one.
    private func stream(
        on context: any ExecutionContext, under token: CancelToken = .none,
        onThird act: @escaping @Sendable () -> Void
    ) -> FutureStream<Int> {
        let stream = FutureStream<Int>()
        stream.onSuccess(context: context, cancelToken: token) { [log] in
            log.add("a\($0)")
            if $0 == 3 { act() }
        }
        for element in 1...5 { stream.success(element) }
        return stream
    }

    /// Makes such a stream on a manual context, and runs the context's tasks.
    private func run(
        under token: CancelToken = .none,
        onThird act: @escaping @Sendable (FutureStream<Int>, ManualContext) -> Void
    ) {
        let manual = ManualContext()
        let box = Box<FutureStream<Int>?>(nil)
        box.value = stream(on: manual, under: token) { if let stream = box.value { act(stream, manual) } }
        manual.run()
        box.value = nil
        // End the stream, which releases the context that its callbacks hold.
        manual.run()
    }

    /// Makes such a stream on a queue, and acts on its third element on another thread, while the callback waits.
    private func runOnQueue(
        under token: CancelToken = .none,
        onThird act: @escaping @Sendable (FutureStream<Int>, DispatchQueue) -> Void
    ) async {
        let (isThere, mayGoOn) = (Gate(), Gate())
        let queue = DispatchQueue(label: "stretch")
        queue.suspend()
        let stream = self.stream(on: queue, under: token) {
            isThere.open()
            mayGoOn.pass()
        }
        queue.resume()
        await onThread {
            isThere.pass()
            act(stream, queue)
            mayGoOn.open()
            queue.sync {}
        }
    }

    @Test(arguments: [true, false])
    func `a subscriber that joins in a callback, or at that time on another thread, catches up before the next element`(
        isInCallback: Bool
    ) async {
        let join: @Sendable (FutureStream<Int>, any ExecutionContext) -> Void = { [log] stream, context in
            stream.onSuccess(context: context) { log.add("b\($0)") }
        }
        if isInCallback { run { join($0, $1) } } else { await runOnQueue { join($0, $1) } }
        await until { log.count == 10 }
        #expect(log.all == ["a1", "a2", "a3", "b1", "b2", "b3", "a4", "b4", "a5", "b5"])
    }

    @Test(arguments: [true, false], [true, false])
    func `a subscriber canceled in its callback, or at that time on another thread, gets no further element`(
        byToken: Bool, isInCallback: Bool
    ) async {
        let cancel: @Sendable (FutureStream<Int>) -> Void = { [token] stream in
            if byToken { token.cancel() } else { stream.cancel(token) }
        }
        if isInCallback {
            run(under: token) { stream, _ in cancel(stream) }
        } else {
            await runOnQueue(under: token) { stream, _ in cancel(stream) }
        }
        #expect(log.all == ["a1", "a2", "a3"])
    }

    @Test func `a callback canceled while it runs keeps its captures, and is released when it returns`() async {
        let (isThere, isDetached) = (Gate(), Gate())
        let queue = DispatchQueue(label: "stretch")
        let stream = FutureStream<Int>(capacity: 0)
        let uses = Log<Bool>()
        let watch = Watch { probe in
            stream.onSuccess(context: queue, cancelToken: token) { [weak weakly = probe] _ in
                isThere.open()
                isDetached.pass()
                uses.add(weakly != nil)
                probe.use()
            }
        }
        stream.success(1)
        await onThread { [token] in
            isThere.pass()
            stream.cancel(token)
            isDetached.open()
            // The queue has released the task when it has run two more.
            queue.sync {}
            queue.sync {}
        }
        #expect(uses.all == [true])
        #expect(watch.isReleased)
    }

    @Test func `a subscriber that joins while a callback waits gets its elements at once`() {
        run { [log] stream, manual in
            let last = Promise<Int>()
            stream.onSuccess(context: manual) {
                log.add("b\($0)")
                if $0 == 5 { last.success($0) }
            }
            log.add("waited for \((try? last.future.wait(timeout: .seconds(600))) ?? -1)")
        }
        #expect(
            log.all == ["a1", "a2", "a3", "b1", "b2", "b3", "b4", "b5", "waited for 5", "a4", "a5"])
    }

    @Test(arguments: [["a"], ["a", "b"]])
    func `callbacks that an element causes run after its other subscribers, before the next element`(
        _ names: [String]
    ) {
        let manual = ManualContext()
        let effects = FutureStream<Int>(capacity: 0)
        effects.onSuccess(context: immediate) { [log] in log.add("effect \($0)") }
        let stream = FutureStream<Int>(capacity: 0)
        for name in names {
            stream.onSuccess(context: manual) { [log] in
                log.add("\(name)\($0)")
                if name == "a" { effects.success($0) }
            }
        }
        for element in 1...3 { stream.success(element) }
        manual.run()
        #expect(log.all == (1...3).flatMap { element in names.map { "\($0)\(element)" } + ["effect \(element)"] })
    }

    @Test func `a queue has one mailbox, also after other queues were used`() {
        let tokens = (0..<9).map { _ in CancelToken() }
        let stream = FutureStream<Int>(capacity: 0)
        for token in tokens {
            stream.onSuccess(context: DispatchQueue(label: "other"), cancelToken: token) { _ in }
        }
        for token in tokens.dropLast(6) { token.cancel() }
        let queue = DispatchQueue(label: "shared")
        queue.suspend()
        for name in ["a", "b"] { stream.onSuccess(context: queue) { [log] in log.add("\(name)\($0)") } }
        for value in 1...2 { stream.success(value) }
        queue.resume()
        queue.sync {}
        #expect(log.all == ["a1", "b1", "a2", "b2"])
    }

    @Test func `a queue whose callbacks were all canceled gets elements again, also among many other queues`() {
        let stream = FutureStream<Int>(capacity: 0)
        let queues = (0..<9).map { DispatchQueue(label: "queue \($0)") }
        for queue in queues {
            stream.onSuccess(context: queue, cancelToken: queue === queues[0] ? token : .none) { _ in }
        }
        token.cancel()
        stream.onSuccess(context: queues[0]) { [log] in log.add("a\($0)") }
        stream.success(1)
        queues[0].sync {}
        #expect(log.all == ["a1"])
    }
}
