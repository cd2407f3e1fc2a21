import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// `RoundTripTests` tests that values and failures pass, whether they exist before or arrive later, `CancelMatrixTests`
// that the closure's own value or error is the result.

@Suite("asyncMap, asyncFlatMap, asyncRecover, asyncForEach of futures", .watchdog)
struct AsyncCombinatorTests {
    @Test func `asyncForEach gets the value, and asyncFlatMap the failure of its inner future`() async {
        let (source, visited) = (Future(value: 2), Box(0))
        #expect(await source.asyncForEach { visited.value = $0 }.outcome.isSuccess())
        #expect(visited.value == 2)
        #expect(await source.asyncFlatMap { _ in Future<Int>(error: Failure()) }.end() == .failure(Failure()))
        #expect(await source.asyncFlatMap { _ in Future<Int>() }.end() == .broken)
    }

    @Test func `a canceled source cancels them without running a closure, and a broken one can be recovered`() async {
        for (ending, answer) in [(Source.Ending.cancellation, Answer.cancelled), (.breach, .success(5))] {
            let source = Source()
            let (mapped, recovered) = (source.future.asyncMap { $0 }, source.future.asyncRecover { _ in 5 })
            source.end(ending)
            #expect(await Answer { try await recovered.value } == answer)
            #expect(mapped.isCancelled == (ending == .cancellation) && recovered.isCancelled == mapped.isCancelled)
        }
    }

    @Test @MainActor func `the closure has the caller's actor and task-local values, and the given name and priority`()
        async throws
    {
        let (source, elements) = (Future<Int>(), stream(.success(1)))
        let (seen, seenInStream) = Locals.$id.withValue(5) {
            (
                source.asyncMap(name: "mapper", priority: .low) { _ in describeMainActorTask() },
                elements.asyncMap(name: "mapper", priority: .low) { _ in describeMainActorTask() }
            )
        }
        Locals.$id.withValue(6) { source.success(1) }
        #expect(try await seen.value == "mapper, low, 5")
        var words: [String] = []
        for try await word in seenInStream.values { words.append(word) }
        #expect(words == ["mapper, low, 5"])
    }

    // Without overloads for them, these closures are errors in Swift 6 mode: they are not sent.
    @Test @MainActor func `a closure of an actor can have a parameter for each value of a tuple`() async throws {
        let (one, two, counter) = (Future(value: 1), Future(value: 2), MainActorCounter())
        let pair = zip(one, two).asyncMap { counter.add($0 + $1) }
        let three = zip(one, two, one).asyncMap { first, second, _ in counter.add(first + second) }
        let four = zip(one, two, one, two).asyncMap { first, _, _, last in counter.add(first + last) }
        #expect(try await [pair, three, four].sequence().value == [3, 3, 3] && counter.total == 9)

        let inner = [
            zip(one, two).asyncFlatMap { Future(value: counter.add($0 + $1)) },
            zip(one, two, one).asyncFlatMap { first, second, _ in Future(value: counter.add(first + second)) },
            zip(one, two, one, two).asyncFlatMap { first, _, _, last in Future(value: counter.add(first + last)) },
        ]
        #expect(try await inner.sequence().value == [3, 3, 3] && counter.total == 18)

        try await zip(one, two).asyncForEach { _ = counter.add($0 + $1) }.value
        try await zip(one, two, one).asyncForEach { first, second, _ in _ = counter.add(first + second) }.value
        try await zip(one, two, one, two).asyncForEach { first, _, _, last in _ = counter.add(first + last) }.value
        #expect(counter.total == 27)
    }

    @Test @MainActor func `so can a closure for the elements of a stream`() async throws {
        let (numbers, counter) = (stream(.success(1)), MainActorCounter())
        let (pairs, threes) = (numbers.zip(numbers), combineLatest(numbers, numbers, numbers))
        #expect(try await pairs.asyncMap { counter.add($0 + $1) }.first().value == 2)
        #expect(try await threes.asyncMap { first, _, last in counter.add(first + last) }.first().value == 2)
        #expect(try await pairs.asyncFlatMap { Future(value: counter.add($0 + $1)) }.first().value == 2)
        let flattened = threes.asyncFlatMap { first, _, last in Future(value: counter.add(first + last)) }
        #expect(try await flattened.first().value == 2)
        try await pairs.asyncForEach { _ = counter.add($0 + $1) }.value
        try await threes.asyncForEach { first, _, last in _ = counter.add(first + last) }.value
        try await pairs.forEachLatest(waitsForLast: true) { _ = counter.add($0 + $1) }
        MainActor.assertIsolated()
        try await threes.forEachLatest(waitsForLast: true) { first, _, last in _ = counter.add(first + last) }
        MainActor.assertIsolated()
        #expect(counter.total == 16)
    }

    @Test func `a pending source that nothing else refers to is released, and a failed one needs no task`() async {
        let (mapped, recovered) = (Future<Int>().asyncMap { $0 }, Future<Int>().asyncRecover { _ in 5 })
        #expect(await (mapped.end(), recovered.end()) == (.broken, .success(5)))
        #expect(Future<Int>(error: Failure()).asyncMap { $0 }.completed)
    }

    @Test func `long chains end, are canceled and are released`() async {
        for ending in Source.Ending.allCases {
            let source = Source()
            var last = source.future
            for _ in 0..<2_000 * Stress.factor { last = last.asyncMap { $0 } }
            source.end(ending)
            #expect(await Answer { try await last.value } == ending.answer)
        }
        var promise: Promise<Int>? = Promise()
        var last: Future<Int>? = promise?.future
        for _ in 0..<2_000 * Stress.factor { last = last?.asyncMap { $0 } }
        weak var end: Future<Int>?
        end = last
        (last, promise) = (nil, nil)
        await until { end == nil }
    }
}

@Suite("asyncMap, asyncFlatMap, asyncRecover, asyncForEach of streams", .watchdog)
struct AsyncStreamCombinatorTests {
    @Test func `elements keep their order, one at a time, and failures keep their position`() async {
        let promise = StreamPromise<Int>(capacity: 10)
        promise.success(1)
        promise.failure(Failure())
        let running = Tally()
        let mapped = promise.stream.asyncMap { number in
            running.add()
            #expect(running.count == 1)
            for _ in 0..<number { await Task.yield() }
            running.add(-1)
            if number == 3 { throw FuturesError.noSuchElement }
            return number * 10
        }
        for number in [5, 3, 2] { promise.success(number) }
        promise.finish()
        #expect(await mapped.words() == ["10", "failure", "50", "nothing", "20", "end"])
        #expect(mapped.isFinished && mapped.capacity == 10)
    }

    @Test func `asyncFlatMap joins futures and streams, and asyncRecover replaces failures, or throws`() async {
        let numbers = stream(.success(1), .success(2), .success(3))
        let futures = numbers.asyncFlatMap { number in Future { number * 2 } }
        #expect(await futures.words().sorted() == ["2", "4", "6", "end"])
        let streams = numbers.asyncFlatMap { number in stream(Array(repeating: .success(number), count: number)) }
        #expect(await streams.words().sorted() == ["1", "2", "2", "3", "3", "3", "end"])
        let failures = stream(.success(1), .failure(Failure()), .failure(FuturesError.noSuchElement), .success(2))
        let recovered = failures.asyncRecover { error in
            await Task.yield()
            guard error is Failure else { throw error }
            return 7
        }
        #expect(await recovered.words() == ["1", "7", "nothing", "2", "end"])
    }

    @Test func `asyncForEach skips failures, and ends when its last call has returned`() async {
        let (numbers, seen) = (FutureStream<Int>(), Box<[Int]>([]))
        let end = numbers.asyncForEach { number in
            await Task.yield()
            seen.append(number)
        }
        numbers.success(1)
        numbers.failure(Failure())
        numbers.success(2)
        #expect(!end.completed)
        numbers.finish()
        #expect(await end.outcome.isSuccess())
        #expect(seen.value == [1, 2])
    }

    @Test(arguments: [true, false])
    func `elements emitted before a stream is canceled are delivered`(isHeld: Bool) async {
        let (promise, token, gate) = (StreamPromise<Int>(capacity: 0), CancelToken(), Future<Int>())
        var source: FutureStream<Int>? = promise.stream.map(context: immediate, cancelToken: token) { $0 }
        let mapped = source!.asyncMap { number in
            _ = await gate.outcome
            return number
        }
        if !isHeld { source = nil }
        let log = Task { await mapped.words() }
        await until { mapped.core.subscriberCount == 1 }
        for number in 1...3 { promise.success(number) }
        await until { gate.observerCount == 1 }
        token.cancel()
        #expect(!mapped.isCancelled)
        gate.success(1)
        #expect(await log.value == ["1", "2", "3", "cancelled", "end"])
        #expect(mapped.isCancelled)
    }

    @Test(arguments: [true, false])
    func `canceled inside a callback, they deliver nothing and call nothing any more`(isByToken: Bool) async {
        let (source, token, gate, calls) = (StreamPromise<Int>(capacity: 0), CancelToken(), Future<Int>(), Tally())
        let mapped = source.stream.asyncMap(cancelToken: token) { number in
            calls.add()
            return await gate.outcome.value ?? number
        }
        let heard = Log<Int>()
        mapped.onSuccess(context: QueueContext.global) { heard.add($0) }
        source.success(1)
        source.success(2)
        await until { gate.observerCount == 1 }
        await onThread {
            Future(value: 1).onSuccess(context: immediate) { _ in
                if isByToken { token.cancel() } else { source.stream.cancel(token) }
                #expect(mapped.isCancelled || !isByToken)
                gate.success(3)
                // The call may return on another thread before this callback does.
                for _ in 0..<20 where heard.count == 0 && calls.count == 1 { usleep(1_000) }
            }
        }
        #expect(heard.all == [] && calls.count == 1 && mapped.isCancelled)
    }

    @Test func `finished early, they unsubscribe and the closure runs no more`() async {
        let source = StreamPromise<Int>(capacity: 0)
        source.stream.asyncMap { _ in Issue.record("called") }.finish()
        source.success(1)
        await until { source.stream.core.subscriberCount == 0 }
    }

    @Test(arguments: ["asyncMap", "asyncFlatMap", "asyncRecover"])
    func `leaving a loop unsubscribes and cancels the call; else they go on`(_ name: String) async throws {
        let (source, token, calls, canceled) = (FutureStream<Int>(capacity: 0), CancelToken(), Tally(), Tally())
        @Sendable func call(_ isLong: Bool) async -> Int {
            calls.add()
            guard isLong else { return 1 }
            try? await Task.sleep(for: .seconds(1_000))
            canceled.add(Task.isCancelled ? 1 : 0)
            return 2
        }
        func derive(_ isLong: @escaping @Sendable () -> Bool) -> FutureStream<Int> {
            switch name {
            case "asyncMap": source.asyncMap(cancelToken: token) { _ in await call(isLong()) }
            case "asyncFlatMap": source.asyncFlatMap(cancelToken: token) { _ in Future(value: await call(isLong())) }
            default: source.asyncRecover(cancelToken: token) { _ in await call(isLong()) }
            }
        }
        func emit() { if name == "asyncRecover" { source.failure(Failure()) } else { source.success(1) } }
        do {
            var elements = derive { calls.count > 0 }.values.makeAsyncIterator()
            emit()
            #expect(try await elements.next() == 1)
            emit()
            await until { calls.count == 2 }
        }
        await until { source.core.subscriberCount == 0 && token.registrationCount == 0 && canceled.count == 1 }
        emit()
        _ = derive { false }
        emit()
        emit()
        await until { calls.count == 4 }
        token.cancel()
    }

    @Test(arguments: StreamCombinator.all)
    func `a loop that is left or canceled unsubscribes behind any combinator`(_ combinator: StreamCombinator) async {
        let clock = ManualContext()
        let steps: [@Sendable (FutureStream<Int>) -> FutureStream<Int>] = [
            { $0.asyncMap { $0 } }, { $0.asyncFlatMap { Future(value: $0) } }, { $0.asyncRecover { _ in 2 } },
            { $0.asyncFlatMap { FutureStream(value: $0) } },
        ]
        for (step, isFirst, isCanceled) in steps.flatMap({ step in
            [(step, true, true), (step, true, false), (step, false, true), (step, false, false)]
        }) {
            let source = FutureStream<Int>(capacity: 1)
            let loop = Task {
                let derived =
                    isFirst
                    ? combinator.apply(to: step(source), clock: clock)
                    : step(combinator.apply(to: source, clock: clock))
                for try await _ in derived.values { break }
            }
            await until { source.core.subscriberCount > 0 }
            if isCanceled { loop.cancel() } else { source.success(1) }
            let end = loop.future
            await until {
                clock.advance(by: .seconds(1))
                return end.completed || end.isCancelled
            }
            // The thread that unsubscribes cancels the timers next.
            await until { source.core.subscriberCount == 0 && clock.timerCount == 0 }
        }
    }
}

/// Its name, whether its priority is low, and its task-local value.
private func describeMainActorTask() -> String {
    MainActor.assertIsolated()
    return "\(Task.name ?? "no name"), \(Task.basePriority == .low ? "low" : "not low"), \(Locals.id)"
}

@MainActor private final class MainActorCounter {
    private(set) var total = 0

    func add(_ number: Int) -> Int {
        total += number
        return number
    }
}

/// A stream that has finished after these elements.
private func stream(_ elements: Try<Int>...) -> FutureStream<Int> { stream(elements) }

private func stream(_ elements: [Try<Int>]) -> FutureStream<Int> {
    let stream = FutureStream<Int>()
    for element in elements { stream.complete(element) }
    stream.finish()
    return stream
}
