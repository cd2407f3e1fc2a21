import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1 and 4, streams: each element once, in order, one at a time", .watchdog, .serialized)
struct StreamsExactlyOnceTests {
    @Test(arguments: Audience.allCases)
    func `while eight threads emit and subscribers come and go, nothing is lost, doubled or out of order`(
        _ audience: Audience
    ) async {
        let emitters = 8
        let each = Stress.rounds(150)
        let stream = FutureStream<Int>()
        let context = audience.context
        let listeners = Box<[Listener]>([])
        await onThread {
            DispatchQueue.concurrentPerform(iterations: emitters + 2) { thread in
                guard thread < emitters else {
                    // One thread subscribes for good, the other comes and goes.
                    for round in 0..<20 {
                        let isGuest = thread > emitters
                        let token = isGuest ? CancelToken() : CancelToken.none
                        let listener = Listener(isGuest: isGuest)
                        listeners.append(listener)
                        stream.onSuccess(context: context, cancelToken: token) { listener.hear($0) }
                        stream.onFinish(context: context, cancelToken: token) { listener.done.open() }
                        if isGuest {
                            usleep(UInt32(round * 20))
                            if round.isMultiple(of: 2) { token.cancel() } else { stream.cancel(token) }
                        }
                    }
                    return
                }
                for number in 0..<each { stream.success(thread * 1_000_000 + number) }
            }
        }
        stream.finish()
        let order = stream.futures.compactMap { $0.result?.value }
        #expect(order.count == emitters * each)
        for listener in listeners.value {
            if !listener.isGuest { #expect(listener.done.pass()) }
            let heard = listener.heard.all
            #expect(!listener.hasOverlapped.value)
            #expect(heard == Array(order.prefix(heard.count)))
            if !listener.isGuest { #expect(heard.count == order.count) }
        }
        for emitter in 0..<emitters {
            #expect(order.filter { $0 / 1_000_000 == emitter } == (0..<each).map { emitter * 1_000_000 + $0 })
        }
    }

    @Test(arguments: [0, 1, 5])
    func `with a bounded history each subscriber sees a stretch without a gap`(_ capacity: Int) async {
        let stream = FutureStream<Int>(capacity: capacity)
        let listeners = Box<[Listener]>([])
        let count = Stress.rounds(2_000)
        await onThread {
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                guard thread > 0 else {
                    for number in 0..<count { stream.success(number) }
                    return
                }
                for _ in 0..<30 {
                    let listener = Listener(isGuest: false)
                    listeners.append(listener)
                    stream.onSuccess(context: ImmediateContext()) { listener.hear($0) }
                    usleep(50)
                }
            }
        }
        stream.success(count)
        for listener in listeners.value {
            let heard = listener.heard.all
            #expect(!listener.hasOverlapped.value)
            #expect(heard.last == count)
            #expect(heard == Array((heard.first ?? 0)...count))
        }
    }

    @Test(arguments: [true, false])
    func `a token cancelled while another thread emits: an element is heard or not, none after the cancel`(
        _ isToken: Bool
    ) {
        let misses = Box(0)
        race(rounds: Stress.rounds(300)) {
            let arena = (stream: FutureStream<Int>(capacity: 0), token: CancelToken(), runs: Box(0), late: Box(false))
            let isOver = arena.late
            arena.stream.onSuccess(context: immediate, cancelToken: arena.token) { [runs = arena.runs] _ in
                if isOver.value { runs.value = -1_000 }
                runs.increment()
            }
            return arena
        } _: { arena in
            if isToken { arena.token.cancel() } else { arena.stream.cancel(arena.token) }
        } _: { arena in
            for value in 0..<10 { arena.stream.success(value) }
        } check: { arena in
            let before = arena.runs.value
            arena.late.value = true
            arena.stream.success(11)
            if arena.runs.value != before || arena.stream.core.subscriberCount != 0 { misses.increment() }
            try verify((0...10).contains(before), "as many as were emitted, not \(before)")
        }
        #expect(misses.value == 0)
    }

    @Test func `a token cancelled in the moment of the finish: one of the two ends`() {
        race(rounds: Stress.rounds(300)) { () -> EndArena in
            let source = FutureStream<Int>(capacity: 0)
            let token = CancelToken()
            let derived = source.map(context: immediate, cancelToken: token) { $0 }
            let log = derived.heard()
            return EndArena(source: source, token: token, derived: derived, log: log)
        } _: { arena in
            arena.token.cancel()
        } _: { arena in
            arena.source.success(1)
            arena.source.finish()
        } check: { arena in
            let heard = arena.log.all
            let possible: [[Heard<Int>]] = [[1, .finish], [1, .cancel], [.cancel]]
            try verify(possible.contains(heard), "one end and no more: \(heard)")
            try verify(arena.derived.isFinished == (heard.last == .finish), "the state is what was heard")
            try verify(arena.token.registrationCount == 0, "nothing is left")
        }
    }

    @Test func `finished and released in the same moment it ends once`() {
        race(rounds: Stress.rounds(300)) {
            () -> (promise: Box<StreamPromise<Int>?>, stream: FutureStream<Int>, log: Log<Heard<Int>>) in
            let promise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 0))
            let log = promise.value!.stream.map(context: immediate) { $0 }.heard()
            return (promise: promise, stream: promise.value!.stream, log: log)
        } _: { arena in
            arena.promise.value = nil
        } _: { arena in
            arena.stream.finish()
        } check: { arena in
            try verify(arena.log.all == [.finish], "one finish: \(arena.log.all)")
        }
    }

    @Test func `a merge whose sources end in the same moment ends once, after all elements`() {
        race(rounds: Stress.rounds(300)) { () -> (sources: [FutureStream<Int>], log: Log<Heard<Int>>) in
            let sources = [FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0)]
            let log = sources[0].merge(sources[1]).heard()
            return (sources: sources, log: log)
        } _: { arena in
            arena.sources[0].success(1)
            arena.sources[0].finish()
        } _: { arena in
            arena.sources[1].success(2)
            arena.sources[1].finish()
        } check: { arena in
            let possible: [[Heard<Int>]] = [[1, 2, .finish], [2, 1, .finish]]
            try verify(possible.contains(arena.log.all), "all of it: \(arena.log.all)")
        }
    }

    @Test func `a flatMap whose outer and inner streams end in the same moment ends once`() {
        race(rounds: Stress.rounds(300)) {
            () -> (outer: FutureStream<Int>, inner: FutureStream<Int>, log: Log<Heard<Int>>) in
            let outer = FutureStream<Int>(capacity: 0)
            let inner = FutureStream<Int>(capacity: 0)
            let log = outer.flatMap(context: immediate) { _ in inner }.heard()
            outer.success(0)
            return (outer: outer, inner: inner, log: log)
        } _: { arena in
            arena.outer.finish()
        } _: { arena in
            arena.inner.success(1)
            arena.inner.finish()
        } check: { arena in
            try verify(arena.log.all == [1, .finish], "all of it: \(arena.log.all)")
        }
    }

    @Test func `a future takes one element of a stream into which two threads emit`() {
        race(rounds: Stress.rounds(300)) {
            let stream = FutureStream<Int>(capacity: 0)
            let future = Future<Int>()
            future.completeWith(stream: stream)
            return (stream: stream, future: future)
        } _: { arena in
            arena.stream.success(1)
        } _: { arena in
            arena.stream.success(2)
        } check: { arena in
            try verify(arena.future.result?.value != nil, "it is completed")
            try verify(arena.stream.core.subscriberCount == 0, "nobody is left")
        }
    }

    @Test func `on a context that runs tasks twice each element comes once`() {
        for context in [RepeatingContext(), DoublingContext()] as [any ExecutionContext] {
            let stream = FutureStream<Int>()
            let log = stream.map(context: context) { $0 }.heard(on: context)
            for value in 0..<200 { stream.success(value) }
            stream.finish()
            #expect(log.all == (0..<200).map { .value($0) } + [.finish])
        }
    }

    @Test func `a context that runs tasks in an order of its own loses and reorders nothing`() {
        let context = ReversingContext()
        let stream = FutureStream<Int>()
        let log = stream.map(context: context) { $0 }.heard(on: context)
        for value in 0..<200 { stream.success(value) }
        context.run()
        stream.finish()
        context.run()
        #expect(log.all == (0..<200).map { .value($0) } + [.finish])
    }
}

private struct EndArena: Sendable {
    let source: FutureStream<Int>
    let token: CancelToken
    let derived: FutureStream<Int>
    let log: Log<Heard<Int>>
}

/// Where those are who listen.
enum Audience: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case immediate, concurrentQueue, serialQueue, inline

    var testDescription: String { rawValue }

    var context: any ExecutionContext {
        switch self {
        case .immediate: ImmediateContext()
        case .concurrentQueue: DispatchQueue(label: "audience", attributes: .concurrent)
        case .serialQueue: DispatchQueue(label: "audience")
        case .inline: InlineContext()
        }
    }
}

/// Notes what it hears, and whether it was called while it was being called.
private final class Listener: Sendable {
    let isGuest: Bool
    let heard = Log<Int>()
    let hasOverlapped = Box(false)
    let done = Signal()
    private let isInside = Box(false)

    init(isGuest: Bool) { self.isGuest = isGuest }

    func hear(_ value: Int) {
        let wasInside = isInside.change { isInside in
            defer { isInside = true }
            return isInside
        }
        if wasInside { hasOverlapped.value = true }
        heard.add(value)
        isInside.value = false
    }
}
