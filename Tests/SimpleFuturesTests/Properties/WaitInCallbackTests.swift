import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 11: wait inside of a callback", .watchdog)
struct WaitInCallbackTests {
    @Test func `it starts no callback after its timeout, however fast another thread registers`() async {
        let future = Future<Void>()
        let starts = Log<DispatchTime>()
        let (hasBegun, hasEnded, isNested) = (Signal(), Box(false), Box(false))
        future.onSuccess(context: immediate) {
            hasBegun.open()
            isNested.value = true
            #expect(throws: FuturesError.timedOut) { try Future<Int>().wait(timeout: .milliseconds(100)) }
            isNested.value = false
            hasEnded.value = true
        }
        let here = Box<UInt>(0)
        async let registered: Void = onThread {
            #expect(hasBegun.pass())
            while !hasEnded.value {
                future.onSuccess(context: immediate) {
                    guard here.value == threadNumber(), isNested.value else { return }
                    starts.add(.now())
                    for _ in 0..<100 { _ = hasEnded.value }
                }
            }
        }
        await onThread {
            here.value = threadNumber()
            future.success()
            here.value = 0
        }
        await registered
        // Its timeout passes at most a tenth of a second after the first of the callbacks.
        let late = starts.all.first.map { first in starts.all.count { $0 > first + .milliseconds(100) } } ?? 0
        #expect(late <= 1)
    }

    enum Later: CaseIterable {
        case callback, callbackOnAQueue, subscriber
    }

    @Test(arguments: Later.allCases)
    func `a callback can wait for a later callback that another thread registers`(_ kind: Later) async {
        let (future, stream, later) = (Future<Void>(), FutureStream<Void>(capacity: 0), Promise<Int>())
        let heard = Log<Int>()
        let wait = { @Sendable in if heard.all.isEmpty { heard.add(later.future.awaitedValue) } }
        if kind == .subscriber {
            stream.onSuccess(context: immediate, completion: wait)
        } else {
            future.onSuccess(context: immediate, completion: wait)
        }
        async let added: Void = onThread {
            while later.future.observerCount == 0 {}
            switch kind {
            case .callback: future.onSuccess(context: immediate) { later.success(5) }
            case .callbackOnAQueue: future.onSuccess(context: DispatchQueue(label: "later")) { later.success(5) }
            case .subscriber:
                stream.onSuccess(context: immediate, cancelToken: CancelToken()) { later.success(5) }
                stream.success()
            }
        }
        await onThread { if kind == .subscriber { stream.success() } else { future.success() } }
        await added
        #expect(heard.all == [5])
    }

    @Test(arguments: [Place.immediate, .inline])
    func `a callback can wait until another callback of its stream handles the same element`(_ place: Place) {
        let (stream, second, log) = (FutureStream<Int>(), Promise<Int>(), Log<Int>())
        defer { stream.finish() }
        let context = place.make().context
        stream.onSuccess(context: context) { value in
            log.add(second.future.awaitedValue)
            log.add(value)
        }
        stream.onSuccess(context: context) { second.trySuccess($0 * 10) }
        stream.success(1)
        #expect(log.all == [10, 1])
    }

    @Test(arguments: [true, false])
    func `a callback can wait until another callback of its stream handles a later element`(byOtherThread: Bool) {
        let (stream, second, log) = (FutureStream<Int>(), Promise<Int>(), Log<Int>())
        defer { stream.finish() }
        stream.onSuccess(context: immediate) { value in
            log.add(value)
            guard value == 1 else { return }
            if byOtherThread {
                DispatchQueue.global().async {
                    // Loop until the callback waits.
                    while second.future.observerCount == 0 {}
                    stream.success(2)
                }
            } else {
                stream.success(2)
            }
            log.add(second.future.awaitedValue)
        }
        stream.onSuccess(context: immediate) { if $0 == 2 { second.success(20) } }
        stream.success(1)
        #expect(log.all.prefix(2) == [1, 20])
        // The other thread may have been asked to deliver it.
        #expect(byOtherThread || log.all == [1, 20, 2])
    }

    @Test func `a callback can wait for a stream derived from its own stream`() {
        let (stream, last, log) = (FutureStream<Int>(), Future<Int>(), Log<Int>())
        defer { stream.finish() }
        stream.onSuccess(context: immediate) { value in
            guard value == 1 else { return }
            stream.success(2)
            stream.success(3)
            log.add(last.awaitedValue)
        }
        last.completeWith(
            stream: stream.map(context: immediate) { $0 * 10 }
                .flatMap(context: immediate) { FutureStream(value: $0) }
                .merge(FutureStream())
                .drop(2))
        stream.success(1)
        #expect(log.all == [30])
    }

    @Test func `a callback can wait for the end of a derived stream that it ends itself`() {
        let (source, other, token) = (FutureStream<Int>(), FutureStream<Int>(), CancelToken())
        defer { source.finish() }
        let ends = [Promise<Int>(), Promise<Int>()]
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        derived.onCancel(context: immediate) { ends[0].success(1) }
        other.onFinish(context: immediate) { ends[1].success(2) }
        let log = Log<Int>()
        source.onSuccess(context: immediate) { _ in
            token.cancel()
            other.finish()
            for end in ends { log.add(end.future.awaitedValue) }
        }
        source.success(1)
        #expect(log.all == [1, 2])
    }

    @Test func `nested waits keep the order of elements for each subscriber`() {
        let (stream, log) = (FutureStream<Int>(), Log<String>())
        defer { stream.finish() }
        let gates = (0...5).map { _ in Promise<Int>() }
        stream.onSuccess(context: immediate) { value in
            log.add("a\(value)")
            if value < 5 { stream.success(value + 1) }
            _ = gates[value].future.awaitedValue
        }
        stream.onSuccess(context: immediate) { value in
            log.add("b\(value)")
            gates[value].success(value)
        }
        stream.success(1)
        for name in ["a", "b"] {
            #expect(log.all.filter { $0.hasPrefix(name) } == (1...5).map { "\(name)\($0)" })
        }
    }

    @Test(arguments: [true, false])
    func `runPending returns even if another thread emits without a pause`(isQueue: Bool) async {
        let (stream, hasBegun, hasReturned) = (FutureStream<Int>(capacity: 0), Signal(), Box(false))
        let context: any ExecutionContext = isQueue ? OwnContext().queue : immediate
        stream.onSuccess(context: context) {
            guard $0 == 0 else { return }
            hasBegun.open()
            Thread.sleep(forTimeInterval: 0.002)
            ImmediateContext.runPending()
            hasReturned.value = true
        }
        // Slower than the other thread.
        stream.onSuccess(context: context) { _ in for _ in 0..<20 { _ = hasReturned.value } }
        async let emitted: Void = onThread {
            #expect(hasBegun.pass())
            while !hasReturned.value { stream.success(1) }
        }
        await onThread { stream.success(0) }
        await emitted
    }

    @Test(arguments: [true, false])
    func `on a queue of its own it runs as many elements as it needs`(isQueue: Bool) async {
        let (stream, later, heard) = (FutureStream<Int>(capacity: 0), Promise<Int>(), Log<Int>())
        let own = OwnContext()
        let context: any ExecutionContext = isQueue ? own.queue : own
        own.queue.suspend()
        stream.onSuccess(context: context) { if $0 == 0 { heard.add(later.future.awaitedValue) } }
        stream.onSuccess(context: context) { if $0 == 200 { later.success(5) } }
        for number in 0...300 { stream.success(number) }
        own.queue.resume()
        await until { !heard.all.isEmpty }
        #expect(heard.all == [5])
    }

    @Test func `a callback can wait twice for later elements, on a context that runs its tasks one by one`() async {
        let (stream, last) = (FutureStream<Int>(capacity: 0), Promise<Int>())
        let (context, heard) = (OneByOne(), Box(-1))
        stream.onSuccess(context: context) {
            guard $0 == 0 else { return }
            _ = try? Future<Void>().wait(timeout: .milliseconds(10))
            heard.value = last.future.awaitedValue
        }
        stream.onSuccess(context: context) {
            Thread.sleep(forTimeInterval: 0.001)
            if $0 == 99 { last.success($0) }
        }
        await onThread { inCallback { for number in 0..<100 { stream.success(number) } } }
        #expect(heard.value == 99)
    }
}

extension Future<Int> {
    /// The value for which the caller waits; -1 if there is none.
    var awaitedValue: Int { (try? wait(timeout: .seconds(600))) ?? -1 }
}

/// A context that leaves the thread, as the documentation's examples do.
struct OwnContext: ExecutionContext, Hashable {
    let queue = DispatchQueue(label: "OwnContext")

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
    static func == (left: Self, right: Self) -> Bool { left.queue === right.queue }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }
}

/// A context that runs its task inside of `execute`.
struct AtOnce: ExecutionContext, Hashable {
    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}

/// A context that runs its tasks inside of `execute`, but none inside of another.
private final class OneByOne: ExecutionContext {
    private let state = Lock((tasks: [@Sendable () -> Void](), isRunning: false))

    func execute(_ task: @escaping @Sendable () -> Void) {
        let isRunning = state.withLock { state in
            defer { state.isRunning = true }
            state.tasks.append(task)
            return state.isRunning
        }
        guard !isRunning else { return }
        while let task = next() { task() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isRunning = !state.tasks.isEmpty
            return state.isRunning ? state.tasks.removeFirst() : nil
        }
    }
}
