import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A stream that ticks", .watchdog)
final class EveryTests {
    /// Stops everything that a test has left running.
    private let closed = CancelToken()
    private let context = ManualContext()
    private let heard = Box<[Int]>([])

    deinit { closed.cancel() }

    private func listen(to stream: FutureStream<Int>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: ImmediateContext(), cancelToken: cancelToken) { [heard] in heard.append($0) }
    }

    @Test func `it emits 1, 2, 3 at equal intervals, beginning with the first subscription`() {
        let stream = FutureStream.every(.seconds(2), context: context, cancelToken: closed)
        context.advance(by: .seconds(100))
        #expect(context.timerCount == 0)
        listen(to: stream)
        context.advance(by: .milliseconds(1_900))
        #expect(heard.value == [])
        context.advance(by: .milliseconds(100))
        #expect(heard.value == [1])
        context.advance(by: .seconds(4))
        #expect(heard.value == [1, 2, 3])
        #expect(context.timerCount == 1)
    }

    @Test func `intervals are equal on a context that wraps a manual one and on one with its own clock`() {
        for context in [TaskLocalContext(context, carrying: Noted.$id), Wrapping(context: context)]
            as [any ExecutionContext]
        {
            heard.value = []
            let token = CancelToken()
            listen(to: FutureStream.every(.seconds(1), context: context, cancelToken: token))
            for second in 1...10 {
                self.context.advance(by: .seconds(1))
                #expect(heard.value == Array(1...second))
            }
            token.cancel()
        }
    }

    @Test func `with a replay buffer the time begins with the call`() {
        let stream = FutureStream.every(.seconds(1), capacity: 2, context: context, cancelToken: closed)
        context.advance(by: .seconds(3))
        listen(to: stream)
        #expect(heard.value == [2, 3])
        context.advance(by: .seconds(1))
        #expect(heard.value == [2, 3, 4])
    }

    @Test func `no timer is left after the last subscriber; the next one starts again at 1`() {
        let stream = FutureStream.every(.seconds(1), context: context, cancelToken: closed)
        for _ in 0..<2 {
            let token = CancelToken()
            listen(to: stream, cancelToken: token)
            context.advance(by: .seconds(2.5))
            token.cancel()
            #expect(context.timerCount == 0)
            #expect(context.pendingCount == 0)
            context.advance(by: .seconds(10))
        }
        #expect(heard.value == [1, 2, 1, 2])
    }

    @Test func `a token stops the timer before it starts, while it runs, and inside a callback`() {
        let cancelled = CancelToken()
        cancelled.cancel()
        #expect(FutureStream.every(.seconds(1), capacity: 1, context: context, cancelToken: cancelled).isCancelled)
        #expect(context.timerCount == 0)
        for isInside in [true, false] {
            let token = CancelToken()
            let stream = FutureStream.every(.seconds(1), context: context, cancelToken: token)
            stream.onSuccess(context: ImmediateContext()) { [heard] number in
                heard.append(number)
                if isInside { token.cancel() }
            }
            context.advance(by: .seconds(1))
            token.cancel()
            #expect(stream.isCancelled)
            #expect(context.timerCount == 0)
            context.advance(by: .seconds(5))
        }
        #expect(heard.value == [1, 1])
    }

    @Test func `a dropped stream is released with its timer after its last subscriber has left`() {
        _ = FutureStream.every(.seconds(1), capacity: 3, context: context, cancelToken: closed)
        #expect(context.timerCount == 0)
        weak var core: StreamCore?
        let token = CancelToken()
        do {
            let stream = FutureStream.every(.seconds(1), context: context, cancelToken: closed)
            core = stream.core
            listen(to: stream, cancelToken: token)
        }
        context.advance(by: .seconds(2))
        #expect(heard.value == [1, 2] && core != nil)
        token.cancel()
        #expect(context.timerCount == 0 && core == nil)
    }

    @Test func `two subscribers share one timer`() {
        let stream = FutureStream.every(.seconds(1), context: context, cancelToken: closed)
        listen(to: stream)
        context.advance(by: .seconds(1.5))
        listen(to: stream)
        #expect(context.timerCount == 1)
        context.advance(by: .milliseconds(500))
        #expect(heard.value == [1, 2, 2])
    }

    @Test func `elements are emitted on the context`() async {
        let queue = DispatchQueue(label: "EveryTests")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let places = Box<[Bool]>([])
        let token = CancelToken()
        FutureStream.every(.milliseconds(1), context: queue, cancelToken: closed)
            .onSuccess(context: ImmediateContext(), cancelToken: token) { _ in
                places.append(DispatchQueue.getSpecific(key: key) == true)
            }
        await until { places.value.count > 5 }
        token.cancel()
        #expect(places.value.allSatisfy { $0 })
    }

    @Test func `a loop counts, in real time, and stops with its task`() async throws {
        var last = 0
        let stream = FutureStream.every(.milliseconds(1))
        for try await number in stream.values {
            #expect(number > last)
            last = number
            if number > 3 { break }
        }
        #expect(stream.core.subscriberCount == 0)
        let loop = Task { for try await _ in stream.values {} }
        await until { stream.core.subscriberCount == 1 }
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `a huge period does not overflow`() {
        listen(to: .every(.seconds(Int64.max), context: context, cancelToken: closed))
        listen(
            to: .every(
                Duration(secondsComponent: .max, attosecondsComponent: 0), context: QueueContext.global,
                cancelToken: closed))
        context.advance(by: .seconds(1_000_000))
        #expect(heard.value == [])
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a period must be positive`(_ period: Duration) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [period] in
            _ = FutureStream.every(period)
        }
        expect(result, toSay: "`FutureStream.every` was given the period", "longer than zero", "Pass the time")
    }

    @Test func `subscribing on several threads leaves at most one timer`() async {
        let stream = FutureStream.every(.microseconds(10), context: context, cancelToken: closed)
        await withTaskGroup { group in
            for thread in 0..<3 {
                group.addTask { [context] in
                    for _ in 0..<300 {
                        if thread == 0 {
                            context.advance(by: .microseconds(10))
                        } else {
                            let token = CancelToken()
                            stream.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in }
                            token.cancel()
                        }
                    }
                }
            }
        }
        #expect(context.timerCount == 0)
    }

    // MARK: Times

    @Test func `late ticks are merged into one with the latest number, and the next one is in time`() {
        let stream = FutureStream.every(.seconds(1), context: context, cancelToken: closed)
        let (context, heard) = (context, heard)
        stream.onSuccess(context: ImmediateContext()) { number in
            heard.append(number)
            // Simulates a busy context.
            if number == 2 { context.advance(by: .milliseconds(3_400)) }
        }
        context.advance(by: .seconds(2))
        #expect(heard.value == [1, 2])
        // 5.4 seconds have passed: 3 and 4 are skipped.
        context.run()
        context.advance(by: .zero)
        #expect(heard.value == [1, 2, 5])
        context.advance(by: .milliseconds(500))
        #expect(heard.value == [1, 2, 5])
        context.advance(by: .milliseconds(100))
        #expect(heard.value == [1, 2, 5, 6])
    }

    @Test func `a slow callback does not delay later ticks`() {
        let stream = FutureStream.every(.milliseconds(300), context: context, cancelToken: closed)
        let times = Box<[Duration]>([])
        stream.onSuccess(context: ImmediateContext()) { [context] _ in
            times.append(context.now)
            context.advance(by: .milliseconds(100))
        }
        context.advance(by: .seconds(3))
        #expect(times.value.prefix(10) == (1...10).map { .milliseconds(300 * $0) }[...])
    }

    @Test(arguments: [Duration.nanoseconds(1), .nanoseconds(333), .milliseconds(7), .seconds(86_400)])
    func `times do not drift`(_ period: Duration) {
        let stream = FutureStream.every(period, context: context, cancelToken: closed)
        listen(to: stream)
        for tick in 1...200 {
            context.advance(by: period * tick - context.now)
            #expect(heard.value.last == tick)
        }
        #expect(heard.value == Array(1...200))
    }
}

/// A user's context that wraps another one.
private struct Wrapping: ExecutionContext {
    let context: ManualContext

    var now: Duration { context.now }

    func execute(_ task: @escaping @Sendable () -> Void) { context.execute(task) }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        context.execute(after: delay, task)
    }
}

private enum Noted { @TaskLocal static var id = 0 }
