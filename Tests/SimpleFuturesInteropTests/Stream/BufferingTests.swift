import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Buffering policies", .watchdog)
struct BufferingTests {
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

    static let policies = [.unbounded] + Bounded.allCases.flatMap { [$0.policy(1), $0.policy(3)] }

    @Test func `asyncRecover does not recover from a full buffer`() async {
        let (promise, begun, gate) = (StreamPromise<Int>(capacity: .max), AsyncGate(), AsyncGate())
        let derived = promise.stream.asyncRecover(buffering: .failing(1)) { _ in
            begun.open()
            await gate.pass()
            return -1
        }
        promise.failure(Oops.source)
        await begun.pass()
        for number in 1...2 { promise.success(number) }
        gate.open()
        var outcomes: [Outcome<Int>] = []
        for await result in derived.results { outcomes.append(Outcome(result)) }
        #expect(outcomes == [.success(-1), .success(1), .failure(FuturesError.bufferOverflow(dropped: 1))])
    }

    /// The elements of `results` and `values` after five emissions, and the number of dropped elements.
    struct Row: Sendable {
        let policy: StreamBufferingPolicy
        let results: String
        /// Nil if they are the same.
        var values: String?
        let dropped: Int
    }

    static let table = [
        Row(policy: .newest(2), results: "4 5 end", dropped: 3),
        Row(policy: .oldest(2), results: "1 2 end", dropped: 3),
        Row(policy: .failing(2), results: "1 2 lost 3 end", dropped: 3),
        // In `values` lost elements are only counted.
        Row(policy: .reportingLag(2), results: "lost 3 4 5 end", values: "4 5 end", dropped: 3),
    ]

    static let large =
        [StreamBufferingPolicy.unbounded]
        + Bounded.allCases.flatMap { kind in [5, .max - 1, .max].map { kind.policy($0) } }

    @Test(arguments: table + large.map { Row(policy: $0, results: "1 2 3 4 5 end", dropped: 0) })
    func `each policy keeps and drops elements according to the table`(_ row: Row) async {
        func check<Iterator: StreamIterator>(_ stage: Stage<Iterator>, _ expected: String) async {
            stage.emit(1, 2, 3, 4, 5)
            stage.finish()
            #expect(await stage.rest().joined(separator: " ") == expected)
            #expect(stage.iterator?.droppedCount == row.dropped)
        }
        await check(Stage<FutureStreamResults<Int>.Iterator>(buffering: row.policy), row.results)
        await check(Stage<FutureStreamValues<Int>.Iterator>(buffering: row.policy), row.values ?? row.results)
    }

    @Test(arguments: [
        (StreamBufferingPolicy.newest(1), "failure end"), (.newest(2), "failure end"), (.newest(3), "failure end"),
        (.newest(4), "1 failure end"), (.reportingLag(2), "failure end"), (.oldest(1), "1 failure end"),
        (.oldest(2), "1 failure end"), (.failing(1), "1 lost 3 end"), (.failing(2), "1 failure end"),
    ])
    func `a loop over values throws the first failure, even one that the buffer has dropped`(
        _ policy: StreamBufferingPolicy, _ words: String
    ) async {
        for isReplayed in [false, true] {
            let source = StreamPromise<Int>()
            var iterator = source.stream.values(buffering: policy).makeAsyncIterator()
            source.success(1)
            source.failure(Failure())
            source.success(3)
            source.success(4)
            source.finish()
            if isReplayed { iterator = source.stream.values(buffering: policy).makeAsyncIterator() }
            #expect(await iterator.rest().joined(separator: " ") == words)
            let delivered = words.hasPrefix("1 failure") ? 2 : 1
            #expect(iterator.droppedCount == 4 - delivered)
        }
    }

    @Test func `a failure dropped by a buffer of the oldest is thrown before elements that come after it`() async {
        let stage = Stage<FutureStreamValues<Int>.Iterator>(buffering: .oldest(2))
        stage.emit(1, 2)
        stage.fail()
        #expect(await stage.next() == "1")
        stage.emit(3)
        #expect(await stage.next() == "2")
        stage.emit(4)
        #expect(await stage.rest() == ["failure", "end"])
    }

    @Test func `a failure that several elements push out together is thrown`() async {
        let source = StreamPromise<AtDeinit?>(capacity: 0)
        var values = source.stream.values(buffering: .newest(3)).makeAsyncIterator()
        // Two elements that are emitted while the buffer drops this one arrive together.
        source.success(AtDeinit { for _ in 0..<2 { source.success(nil) } })
        source.success(nil)
        source.failure(Failure())
        source.success(nil)
        await #expect(throws: Failure.self) { _ = try await values.next() }
        #expect(values.droppedCount == 5)
    }

    @Test func `a dropped failure is kept until it was thrown`() async {
        let source = StreamPromise<Int>(capacity: 0)
        var values = source.stream.values(buffering: .newest(1)).makeAsyncIterator()
        let failure = Watch { source.failure(ProbeError(probe: $0)) }
        source.success(1)
        #expect(!failure.isReleased)
        await #expect(throws: ProbeError.self) { _ = try await values.next() }
        #expect(failure.isReleased)
    }

    @Test(arguments: Bounded.allCases)
    func `a dropped failure is not kept by an iterator that does not throw`(_ kind: Bounded) {
        let (source, policy) = (StreamPromise<Int>(capacity: 0), kind.policy(1))
        let iterators = [
            source.stream.results(buffering: policy).makeAsyncIterator(),
            source.stream.subscription(buffering: policy).results.makeAsyncIterator(),
        ]
        // The buffers keep the first value or the last one.
        source.success(1)
        let failure = Watch { source.failure(ProbeError(probe: $0)) }
        source.success(2)
        #expect(failure.isReleased)
        withExtendedLifetime(iterators) {}
    }

    @Test func `a failure dropped before the first call does not end a loop over a subscription's results`() async {
        let source = StreamPromise<Int>(capacity: 0)
        let subscription = source.stream.subscription(buffering: .newest(1))
        source.failure(Failure())
        source.success(2)
        source.finish()
        var results = subscription.results.makeAsyncIterator()
        #expect(await results.rest() == ["2", "end"])
        #expect(results.droppedCount == 1)
    }

    @Test(arguments: [.unbounded] + Bounded.allCases.map { $0.policy(3) })
    func `elements that a loop does not read are released when it ends`(_ policy: StreamBufferingPolicy) async throws {
        let source = StreamPromise<Probe?>(capacity: 0)
        var values = source.stream.values(buffering: policy).makeAsyncIterator()
        source.success(nil)
        source.failure(Failure())
        let taken = Watch { source.success($0) }
        _ = try await values.next()
        let buffered = Watch { source.success($0) }
        #expect(!taken.isReleased && !buffered.isReleased)
        await #expect(throws: Failure.self) { _ = try await values.next() }
        #expect(taken.isReleased && buffered.isReleased)
        withExtendedLifetime(values) {}
    }

    @Test(arguments: policies)
    func `elements buffered for a canceled task count as dropped`(_ policy: StreamBufferingPolicy) async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>(buffering: policy)
        stage.emit(1, 2, 3, 4, 5)
        let word = await stage.next()
        #expect(await inCancelledTask { await stage.next() } == "cancelled")
        #expect(stage.iterator?.droppedCount == (Int(word) == nil ? 5 : 4))
    }

    @Test @MainActor func `elements between a cancellation and the return of the wait have no subscriber`() async {
        let stage = Stage<FutureStreamResults<Int>.Iterator>()
        let waiter = Task { @MainActor in await stage.next() }
        await until { stage.isAwaited }
        waiter.cancel()
        // The task cannot continue before the main actor is free.
        stage.emit(1, 2)
        #expect(stage.subscriberCount == 0)
        #expect(await waiter.value == "cancelled")
        #expect(stage.iterator?.droppedCount == 0)
    }

    @Test(arguments: Bounded.allCases) func `a bounded buffer keeps its bound without a reader`(_ kind: Bounded) {
        let promise = StreamPromise<Captive>(capacity: 0)
        let subscription = promise.stream.subscription(buffering: kind.policy(10))
        let count = Tally()
        for number in 1...10_000 {
            promise.success(Captive(count))
            #expect(count.count <= 11, "after \(number)")
        }
        #expect(count.count == 10)
        #expect(subscription.droppedCount == 9_990)
    }

    @Test(arguments: Bounded.allCases, [0, -1, Int.min])
    func `a buffer size of zero stops the program and says what to do`(_ kind: Bounded, _ bound: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind, bound] in
            _ = kind.policy(bound)
        }
        expect(result, toSay: "`StreamBufferingPolicy.\(kind)` was given \(bound)", "at least 1 element", ".unbounded")
    }

    @Test func `a policy is described as in source code`() {
        #expect("\(StreamBufferingPolicy.newest(4))" == "newest(4)")
        #expect("\(StreamBufferingPolicy.unbounded)" == "unbounded")
        #expect(StreamBufferingPolicy.oldest(4) != .newest(4))
    }

    @Test func `a list of streams, each an unread element of the one before, is released with little stack`() async {
        await #expect(processExitsWith: .success) {
            let (count, released) = (Stress.size(4_000, full: 1_000_000), Box(0))
            onSmallStack {
                var next: any Sendable = 0
                for _ in 0..<count {
                    let stream = FutureStream<any Sendable>(capacity: 0)
                    let subscription = stream.subscription()
                    stream.success((next, AtDeinit { released.increment() }))
                    next = (stream, subscription)
                }
            }
            precondition(released.value == count, "\(released.value) of \(count) were released")
        }
    }
}

@Suite("The buffer of asyncMap and similar functions", .watchdog)
struct AsyncBufferingTests {
    private let promise = StreamPromise<Int>(capacity: 0)
    private let gate = AsyncGate()
    private let begun = Box(false)

    /// Emits one element, with which the closure waits, and four more in the meantime.
    private func emit() async {
        promise.success(0)
        await until { begun.value }
        for value in 1...4 { promise.success(value) }
        gate.open()
    }

    @Sendable private func step(_ value: Int) async -> Int {
        begun.value = true
        await gate.pass()
        return value
    }

    // A buffer overflow is the last failure.
    @Test(arguments: [
        (StreamBufferingPolicy.unbounded, ["0", "1", "2", "3", "4", "end"]), (.newest(1), ["0", "4", "end"]),
        (.oldest(1), ["0", "1", "end"]), (.failing(1), ["0", "1", "lost 3", "end"]),
    ])
    func `a policy decides what happens to elements that arrive during a call`(
        policy: StreamBufferingPolicy, words: [String]
    ) async {
        let derived = promise.stream.asyncMap(buffering: policy) { await step($0) }
        var results = derived.subscription().results.makeAsyncIterator()
        await emit()
        // An overflow ends it too.
        if policy != .failing(1) { promise.finish() }
        #expect(await results.rest() == words)
        await until { promise.stream.core.subscriberCount == 0 }
    }

    @Test func `a buffer overflow in asyncForEach fails the future`() async {
        let end = promise.stream.asyncForEach(buffering: .failing(1)) { _ = await step($0) }
        await emit()
        #expect(await end.outcome.error as? FuturesError == .bufferOverflow(dropped: 3))
        await until { promise.stream.core.subscriberCount == 0 }
    }

    @Test func `a failure that the buffer of asyncForEach drops is released`() async {
        let end = promise.stream.asyncForEach(buffering: .newest(1)) { _ = await step($0) }
        promise.success(0)
        await until { begun.value }
        let failure = Watch { promise.failure(ProbeError(probe: $0)) }
        promise.success(1)
        #expect(failure.isReleased)
        gate.open()
        promise.finish()
        #expect(await end.outcome.value != nil)
    }
}
