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

    private func words(_ policy: StreamBufferingPolicy, emitting count: Int) async -> (results: [String], dropped: Int)
    {
        let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: policy)
        for number in 1...count { stage.emit(number) }
        stage.finish()
        let words = await stage.rest()
        return (words, stage.iterator!.droppedCount)
    }

    private func values(_ policy: StreamBufferingPolicy, emitting count: Int) async -> (values: [String], dropped: Int)
    {
        let stage = Stage<FutureStreamValues<Int>.Iterator>(buffering: policy)
        for number in 1...count { stage.emit(number) }
        stage.finish()
        let words = await stage.rest()
        return (words, stage.iterator!.droppedCount)
    }

    @Test func `an unbounded buffer keeps everything`() async {
        #expect(await words(.unbounded, emitting: 5) == (["1", "2", "3", "4", "5", "end"], 0))
        #expect(await values(.unbounded, emitting: 5) == (["1", "2", "3", "4", "5", "end"], 0))
    }

    @Test func `the newest are kept`() async {
        #expect(await words(.newest(2), emitting: 5) == (["4", "5", "end"], 3))
        #expect(await values(.newest(2), emitting: 5) == (["4", "5", "end"], 3))
        #expect(await words(.newest(9), emitting: 5).dropped == 0)
    }

    @Test func `the oldest are kept`() async {
        #expect(await words(.oldest(2), emitting: 5) == (["1", "2", "end"], 3))
        #expect(await values(.oldest(2), emitting: 5) == (["1", "2", "end"], 3))
    }

    @Test func `a failing buffer delivers what it has kept, then fails and ends`() async {
        #expect(await words(.failing(2), emitting: 5) == (["1", "2", "lost 3", "end"], 3))
        #expect(await values(.failing(2), emitting: 5) == (["1", "2", "lost 3", "end"], 3))
        #expect(await words(.failing(5), emitting: 5) == (["1", "2", "3", "4", "5", "end"], 0))
    }

    @Test func `a failing buffer takes nothing more in when it has overflown`() async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: .failing(2))
        stage.emit(1, 2, 3)
        #expect(await stage.next() == "1")
        stage.emit(4)
        #expect(await stage.rest() == ["2", "lost 2", "end"])
        #expect(stage.subscriberCount == 0)
    }

    @Test func `a lag is reported once, before what comes after it, and of values merely counted`() async {
        #expect(await words(.reportingLag(2), emitting: 5) == (["lost 3", "4", "5", "end"], 3))
        #expect(await values(.reportingLag(2), emitting: 5) == (["4", "5", "end"], 3))
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
    func `all that is emitted was delivered, was dropped, or is in the buffer`(
        _ policy: StreamBufferingPolicy
    ) async {
        var random = Seeded(seed: 7)
        for _ in 0..<200 {
            let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: policy)
            var (emitted, delivered, hasFailed) = (0, 0, false)
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    emitted += 1
                    stage.emit(emitted)
                }
                for _ in 0..<Int.random(in: 0...3, using: &random) where !stage.isEmpty && !hasFailed {
                    let word = await stage.next()
                    if Int(word) != nil { delivered += 1 }
                    // What is emitted after the end has not come to the iterator.
                    hasFailed = policy.kind == .failing && word.hasPrefix("lost")
                }
                if hasFailed { break }
            }
            stage.finish()
            if !hasFailed { delivered += await stage.rest().count { Int($0) != nil } }
            #expect(delivered + stage.iterator!.droppedCount == emitted)
        }
    }

    @Test(arguments: policies)
    func `what was kept for a task that is cancelled counts as dropped`(_ policy: StreamBufferingPolicy) async {
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

    @Test @MainActor func `what comes between a cancellation and the return of the wait counts as dropped`() async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>()
        let waiter = Task { @MainActor in await stage.next() }
        await until { stage.isAwaited }
        waiter.cancel()
        // The task cannot go on before the main actor is free.
        stage.emit(1, 2)
        #expect(await waiter.value == "cancelled")
        #expect(stage.iterator?.droppedCount == 2)
    }

    @Test(arguments: [StreamBufferingPolicy.newest(10), .oldest(10), .failing(10), .reportingLag(10)])
    func `a bounded buffer keeps its bound if nobody reads`(_ policy: StreamBufferingPolicy) {
        let promise = StreamPromise<Living>(capacity: 0)
        let subscription = promise.stream.subscription(buffering: policy)
        let count = Living.Count()
        for number in 1...10_000 {
            promise.success(Living(count))
            #expect(count.now <= 11, "after \(number)")
        }
        #expect(count.now == 10)
        #expect(subscription.droppedCount == 9_990)
    }

    @Test func `a bounded buffer keeps its bound for what the history replays too`() async throws {
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

    @Test func `a buffer without room is refused`() async {
        await #expect(processExitsWith: .failure) { _ = StreamBufferingPolicy.newest(0) }
        await #expect(processExitsWith: .failure) { _ = StreamBufferingPolicy.oldest(-1) }
        await #expect(processExitsWith: .failure) { _ = StreamBufferingPolicy.failing(0) }
        await #expect(processExitsWith: .failure) { _ = StreamBufferingPolicy.reportingLag(Int.min) }
    }

    @Test func `a policy is written as it is made`() {
        #expect("\(StreamBufferingPolicy.newest(4))" == "newest(4)")
        #expect("\(StreamBufferingPolicy.unbounded)" == "unbounded")
        #expect(StreamBufferingPolicy.oldest(4) != .newest(4))
    }
}

/// Something whose instances are counted.
final class Living: Sendable {
    final class Count: Sendable {
        private let lock = Lock(0)
        var now: Int { lock.withLock { $0 } }
        fileprivate func add(_ number: Int) { lock.withLock { $0 += number } }
    }

    private let count: Count

    init(_ count: Count) {
        self.count = count
        count.add(1)
    }

    deinit { count.add(-1) }
}

/// Random numbers that are the same in each run.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
