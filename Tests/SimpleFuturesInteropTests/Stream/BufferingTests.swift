import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Buffering policies", .watchdog)
struct BufferingTests {
    static let policies: [StreamBufferingPolicy] = [
        .unbounded, .newest(1), .newest(3), .oldest(1), .oldest(3), .failing(1), .failing(3), .reportingLag(1),
        .reportingLag(3),
    ]

    /// The elements of `results` and `values` after five emissions, and the number of dropped elements.
    struct Row: Sendable {
        let policy: StreamBufferingPolicy
        let results: String
        let values: String
        let dropped: Int

        init(_ policy: StreamBufferingPolicy, _ results: String, values: String? = nil, dropped: Int) {
            (self.policy, self.results, self.dropped) = (policy, results, dropped)
            self.values = values ?? results
        }
    }

    static let table = [
        Row(.unbounded, "1 2 3 4 5 end", dropped: 0),
        Row(.newest(2), "4 5 end", dropped: 3),
        Row(.newest(9), "1 2 3 4 5 end", dropped: 0),
        Row(.oldest(2), "1 2 end", dropped: 3),
        Row(.failing(2), "1 2 lost 3 end", dropped: 3),
        Row(.failing(5), "1 2 3 4 5 end", dropped: 0),
        // In `values` lost elements are only counted.
        Row(.reportingLag(2), "lost 3 4 5 end", values: "4 5 end", dropped: 3),
    ]

    @Test(arguments: table) func `each policy keeps and drops elements according to the table`(_ row: Row) async {
        func check<Iterator: StreamIterator>(_ stage: Stage<Iterator>, _ expected: String) async {
            for number in 1...5 { stage.emit(number) }
            stage.finish()
            #expect(await stage.rest().joined(separator: " ") == expected)
            #expect(stage.iterator?.droppedCount == row.dropped)
        }
        await check(Stage<FutureStreamResults<Int>.Iterator>(buffering: row.policy), row.results)
        await check(Stage<FutureStreamValues<Int>.Iterator>(buffering: row.policy), row.values)
    }

    @Test func `a failing buffer accepts nothing after an overflow`() async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: .failing(2))
        stage.emit(1, 2, 3)
        #expect(await stage.next() == "1")
        stage.emit(4)
        #expect(await stage.rest() == ["2", "lost 2", "end"])
        #expect(stage.subscriberCount == 0)
    }

    @Test func `lost elements are reported once, before the elements after them`() async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: .reportingLag(2))
        stage.emit(1, 2, 3)
        #expect(await stage.next() == "lost 1")
        #expect(await stage.next() == "2")
        stage.emit(4, 5)
        #expect(await stage.next() == "lost 1")
        stage.finish()
        #expect(await stage.rest() == ["4", "5", "end"])
        #expect(stage.iterator?.droppedCount == 2)
    }

    @Test(arguments: policies)
    func `elements buffered for a canceled task count as dropped`(_ policy: StreamBufferingPolicy) async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: policy)
        stage.emit(1, 2, 3, 4, 5)
        let word = await stage.next()
        let cancelled = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await stage.next()
        }.value
        #expect(cancelled == "cancelled")
        #expect(stage.iterator?.droppedCount == (Int(word) == nil ? 5 : 4))
    }

    @Test @MainActor func `elements between a cancellation and the return of the wait count as dropped`() async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>()
        let waiter = Task { @MainActor in await stage.next() }
        await until { stage.isAwaited }
        waiter.cancel()
        // The task cannot continue before the main actor is free.
        stage.emit(1, 2)
        #expect(await waiter.value == "cancelled")
        #expect(stage.iterator?.droppedCount == 2)
    }

    @Test(arguments: [StreamBufferingPolicy.newest(10), .oldest(10), .failing(10), .reportingLag(10)])
    func `a bounded buffer keeps its bound without a reader`(_ policy: StreamBufferingPolicy) {
        let promise = StreamPromise<Captive>(capacity: 0)
        let subscription = promise.stream.subscription(buffering: policy)
        let count = Tally()
        for number in 1...10_000 {
            promise.success(Captive(count))
            #expect(count.count <= 11, "after \(number)")
        }
        #expect(count.count == 10)
        #expect(subscription.droppedCount == 9_990)
    }

    @Test func `a bounded buffer keeps its bound for replayed elements too`() async throws {
        let promise = StreamPromise<Int>()
        for number in 1...1_000 { promise.success(number) }
        promise.finish()
        var iterator = promise.stream.values(buffering: .newest(3)).makeAsyncIterator()
        #expect(iterator.droppedCount == 997)
        #expect(try await iterator.next() == 998)
        var oldest = promise.stream.values(buffering: .oldest(3)).makeAsyncIterator()
        #expect(try await oldest.next() == 1)
        #expect(oldest.droppedCount == 997)
    }

    /// The policies that have a bound.
    enum Bounded: String, CaseIterable, Codable, CustomTestStringConvertible {
        case newest, oldest, failing, reportingLag

        var testDescription: String { rawValue }

        func policy(_ bound: Int) -> StreamBufferingPolicy {
            switch self {
            case .newest: .newest(bound)
            case .oldest: .oldest(bound)
            case .failing: .failing(bound)
            case .reportingLag: .reportingLag(bound)
            }
        }
    }

    @Test(arguments: Bounded.allCases, [0, -1, Int.min])
    func `a buffer size of zero stops the program with a message that says what to do`(_ kind: Bounded, _ bound: Int)
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind, bound] in
            _ = kind.policy(bound)
        }
        expect(result, toSay: "`StreamBufferingPolicy.\(kind)` was given \(bound)", "at least 1 element", ".unbounded")
    }

    @Test(arguments: Bounded.allCases, [Int.max, .max - 1])
    func `a buffer of maximum size keeps everything`(_ kind: Bounded, _ bound: Int) async throws {
        let stream = FutureStream<Int>(capacity: 0)
        let subscription = stream.subscription(buffering: kind.policy(bound))
        for value in 0..<100 { stream.success(value) }
        stream.finish()
        #expect(try await Array(subscription) == Array(0..<100))
    }

    @Test func `a policy is described as in source code`() {
        #expect("\(StreamBufferingPolicy.newest(4))" == "newest(4)")
        #expect("\(StreamBufferingPolicy.unbounded)" == "unbounded")
        #expect(StreamBufferingPolicy.oldest(4) != .newest(4))
    }
}
