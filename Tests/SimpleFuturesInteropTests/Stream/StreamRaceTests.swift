import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Races around iterators", .watchdog)
struct StreamRaceTests {
    @Test func `elements of several threads reach each loop in their order, none lost, none twice`() async throws {
        for _ in 0..<Stress.rounds(5) {
            let promise = StreamPromise<(thread: Int, number: Int)>(capacity: 0)
            let loops = (0..<4).map { _ in
                let subscription = promise.stream.subscription()
                return Task {
                    var next = [0, 0, 0, 0]
                    for try await (thread, number) in subscription {
                        #expect(next[thread] == number)
                        next[thread] += 1
                    }
                    return next
                }
            }
            await withTaskGroup { group in
                for thread in 0..<4 {
                    group.addTask { for number in 0..<500 { promise.success((thread, number)) } }
                }
            }
            promise.finish()
            for loop in loops { #expect(try await loop.value == [500, 500, 500, 500]) }
        }
    }

    @Test func `if a cancellation and an element race, the wait ends once, with one of the two`() async {
        for round in 0..<Stress.rounds(200) {
            let promise = StreamPromise<Int>(capacity: 0)
            let loop = Task {
                var words: [String] = []
                var iterator = promise.stream.results.makeAsyncIterator()
                while words.last != "end" { words.append(await iterator.word()) }
                return words
            }
            await until { promise.stream.core.subscriberCount == 1 }
            await withTaskGroup { group in
                group.addTask { promise.success(1) }
                group.addTask { if round.isMultiple(of: 2) { loop.cancel() } else { promise.finish() } }
                group.addTask { loop.cancel() }
            }
            let words = await loop.value
            let allowed = [["cancelled", "end"], ["1", "cancelled", "end"], ["1", "end"], ["end"]]
            #expect(allowed.contains(words), "\(words)")
            #expect(promise.stream.core.subscriberCount == 0)
        }
    }

    @Test func `calls that overlap share the elements out, each to one of them`() async {
        for _ in 0..<Stress.rounds(20) {
            let promise = StreamPromise<Int>(capacity: 0)
            let stage = SharedIterator(promise.stream)
            let tasks = (0..<4).map { _ in
                Task {
                    var values: [Int] = []
                    while let result = await stage.next() { if let value = result.value { values.append(value) } }
                    return values
                }
            }
            for number in 0..<400 {
                promise.success(number)
                if number.isMultiple(of: 50) { await Task.yield() }
            }
            promise.finish()
            var all: [Int] = []
            for task in tasks {
                let values = await task.value
                #expect(values == values.sorted())
                all += values
            }
            #expect(all.sorted() == Array(0..<400))
        }
    }

    @Test @MainActor func `calls that overlap are served in the order in which they came`() async {
        for _ in 0..<Stress.rounds(100) {
            let promise = StreamPromise<Int>(capacity: 0)
            let shared = SharedIterator(promise.stream)
            // On the main actor, each one begins to wait before the next begins.
            let tasks = (0..<10).map { _ in Task { @MainActor in await shared.next()?.value } }
            await Task { @MainActor in }.value
            #expect(shared.isAwaited)
            for number in 0..<10 { promise.success(number) }
            for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
        }
    }

    @Test(arguments: SharedCall.allCases) @MainActor
    func `a call waits behind one that came before it, although there is an element at hand`(_ call: SharedCall) async {
        let promise = StreamPromise<Int>(capacity: 0)
        let next = call.shared(by: promise.stream)
        let first = Task { @MainActor in [await next(), await next()] }
        let second = Task { @MainActor in await next() }
        await Task { @MainActor in }.value
        for number in 1...3 { promise.success(number) }
        #expect(await first.value == [1, 3])
        #expect(await second.value == 2)
    }

    @Test @MainActor func `a call that came before another one's task was cancelled does not see an end`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let shared = SharedIterator(promise.stream)
        let first = Task { @MainActor in await shared.next() }
        let second = Task { @MainActor in await shared.next() }
        await Task { @MainActor in }.value
        first.cancel()
        #expect(await first.value?.error is CancellationError)
        #expect(await second.value?.error is CancellationError)
        #expect(await shared.next() == nil)
    }

    @Test func `of calls that overlap, one that is cancelled leaves the others alone`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let shared = SharedIterator(promise.stream)
        let first = Task { await shared.next()?.value }
        await until { shared.isAwaited }
        let second = Task { await shared.next() }
        second.cancel()
        #expect(await second.value?.error is CancellationError)
        promise.success(1)
        #expect(await first.value == 1)
        promise.success(2)
        #expect(await shared.next()?.value == 2)
    }

    @Test func `loops that come and go leave nothing behind`() async {
        let promise = StreamPromise<Int>(capacity: 3)
        let isOver = Lock(false)
        let emitter = Task.detached {
            var number = 0
            while !isOver.withLock({ $0 }) {
                promise.success(number)
                number += 1
                if number.isMultiple(of: 100) { await Task.yield() }
            }
        }
        await withTaskGroup { group in
            for loop in 0..<Stress.rounds(200) {
                group.addTask {
                    var last: Int?
                    for await result in promise.stream.results(
                        buffering: loop.isMultiple(of: 2) ? .unbounded : .newest(2))
                    {
                        guard let value = result.value else { break }
                        if let last { #expect(loop.isMultiple(of: 2) ? value == last + 1 : value > last) }
                        last = value
                        if value.isMultiple(of: 7) { break }
                    }
                }
            }
        }
        isOver.withLock { $0 = true }
        await emitter.value
        #expect(promise.stream.core.subscriberCount == 0)
    }
}

/// An iterator that several tasks use against the rules, each on a copy.
private final class SharedIterator: @unchecked Sendable {
    // Sendable, because the iterator is never written to.
    private let iterator: FutureStreamResults<Int>.Iterator

    init(_ stream: FutureStream<Int>) { iterator = stream.results.makeAsyncIterator() }

    var isAwaited: Bool { iterator.isAwaited }

    func next() async -> Try<Int>? {
        var copy = iterator
        return await copy.next()
    }
}

/// A way to call an iterator that several tasks use against the rules, each on a copy.
enum SharedCall: CaseIterable, Sendable {
    case value, valueOnActor, result, resultOnActor

    @MainActor func shared(by stream: FutureStream<Int>) -> @MainActor () async -> Int? {
        let (values, results) = (stream.values.makeAsyncIterator(), stream.results.makeAsyncIterator())
        return {
            var (values, results) = (values, results)
            return switch self {
            case .value: try? await values.next()
            case .valueOnActor: try? await values.next(isolation: MainActor.shared)
            case .result: await results.next()?.value
            case .resultOnActor: await results.next(isolation: MainActor.shared)?.value
            }
        }
    }
}
