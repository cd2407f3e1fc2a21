import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Sequences of futures as asynchronous sequences", .watchdog)
struct CompletionsTests {
    // MARK: completions

    @Test func `completions arrive in the order in which the futures end, whatever the end`() async {
        for seed in 0..<UInt64(Stress.rounds(100)) {
            var random = Seeded(seed: seed)
            let sources = (0..<8).map { _ in Source() }
            let order = (0..<8).shuffled(using: &random)
            let endings = order.map { _ in Ending.allCases.randomElement(using: &random)! }
            let countBefore = Int.random(in: 0...8, using: &random)
            for step in 0..<countBefore { sources[order[step]].end(endings[step]) }
            var iterator = sources.map(\.future).completions.makeAsyncIterator()
            for step in countBefore..<8 { sources[order[step]].end(endings[step]) }
            var indices: [Int] = []
            while let (index, result) = await iterator.next() {
                indices.append(index)
                let ending = endings[order.firstIndex(of: index)!]
                #expect(await Answer { try result.get() } == ending.answer, "seed \(seed)")
            }
            // Futures that ended before come first, in the order of the array.
            #expect(indices == order[..<countBefore].sorted() + order[countBefore...], "seed \(seed)")
        }
    }

    @Test func `a loop over completions receives futures that end while it runs`() async {
        let promises = (0..<4).map { _ in Promise<Int>() }
        promises[2].success(2)
        var log: [Int] = []
        for await (index, result) in (promises.map(\.future) + [Future(value: 9)]).completions {
            log.append(index)
            switch log.count {
            case 2: promises[3].failure(Failure())
            case 3:
                #expect(result.error is Failure)
                promises[0].success(0)
            case 4: promises[1].success(1)
            default: break
            }
        }
        #expect(log == [2, 4, 3, 0, 1])
        for await _ in [Future<Int>]().completions { Issue.record("an element") }
    }

    @Test(arguments: [true, false])
    func `a canceled task gets the results that exist, and a cancellation for each other future`(_ isBefore: Bool) async
    {
        let sources = (0..<4).map { _ in Source() }
        let futures = sources.map(\.future)
        sources[2].end(.completed)
        let task = Task {
            if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
            var answers: [(Int, Answer)] = []
            for await (index, result) in futures.completions {
                answers.append((index, await Answer { try result.get() }))
            }
            return answers
        }
        if !isBefore {
            await until { [0, 1, 3].allSatisfy { futures[$0].observerCount == 1 } }
            task.cancel()
        }
        let answers = await task.value
        #expect(answers.map(\.0) == [2, 0, 1, 3])
        #expect(answers.map(\.1) == [.value(1), .cancellation, .cancellation, .cancellation])
        #expect(futures.allSatisfy { $0.observerCount == 0 })
        #expect(!futures[0].isCancelled)
    }

    @Test func `there are as many completions as futures, even with a racing cancellation`() async {
        for _ in 0..<Stress.rounds(200) {
            let promises = (0..<6).map { _ in Promise<Int>() }
            let loop = Task {
                var indices: [Int] = []
                for await (index, _) in promises.map(\.future).completions { indices.append(index) }
                return indices.sorted()
            }
            await together({ loop.cancel() }, { for promise in promises { promise.success(1) } })
            #expect(await loop.value == Array(0..<6))
        }
    }

    // MARK: values

    @Test func `values arrive in the order of the futures, whatever the order in which they end`() async throws {
        for seed in 0..<UInt64(Stress.rounds(50)) {
            var random = Seeded(seed: seed)
            let promises = (0..<8).map { _ in Promise<Int>() }
            let loop = Task { try await Array(promises.map(\.future).valuesInOrder) }
            for index in (0..<8).shuffled(using: &random) {
                promises[index].success(index)
                if Bool.random(using: &random) { await Task.yield() }
            }
            #expect(try await loop.value == Array(0..<8), "seed \(seed)")
        }
        #expect(try await Array([Future<Int>]().valuesInOrder) == [])
    }

    @Test(arguments: [Ending.failed, .cancelled, .broken])
    func `valuesInOrder: the first failure in time of any future is thrown at once and ends the sequence`(
        _ ending: Ending
    ) async {
        for isBefore in [true, false] {
            let sources = (0..<3).map { _ in Source() }
            if isBefore { sources[2].end(ending) }
            let loop = Task {
                var iterator = sources.map(\.future).valuesInOrder.makeAsyncIterator()
                let answer = await Answer { try await iterator.next() ?? -1 }
                let rest = await Answer { try await iterator.next() ?? -1 }
                return [answer, rest]
            }
            if !isBefore {
                await until { sources[2].future.observerCount == 1 }
                sources[2].end(ending)
            }
            #expect(await loop.value == [ending.answer, .value(-1)])
            #expect(sources.allSatisfy { $0.future.observerCount == 0 })
        }
    }

    @Test func `valuesInOrder: a canceled task gets CancellationError if it has to wait, otherwise the value`() async {
        let futures = [Future(value: 1), Future<Int>()]
        let answers = await inCancelledTask {
            var iterator = futures.valuesInOrder.makeAsyncIterator()
            let first = await Answer { try await iterator.next() ?? -1 }
            let second = await Answer { try await iterator.next() ?? -1 }
            return [first, second]
        }
        #expect(answers == [.value(1), .cancellation])
        #expect(futures[1].observerCount == 0)
    }

    // MARK: Both

    @Test func `leaving a loop leaves nothing registered`() async throws {
        let pending = Future<Int>()
        for _ in 0..<1_000 * Stress.factor {
            for await _ in [Future(value: 1), pending].completions { break }
            for try await _ in [Future(value: 1), pending].valuesInOrder { break }
        }
        #expect(pending.observerCount == 0)
    }

    @Test @MainActor func `on an actor, the loop stays there`() async throws {
        var isIntruded = false
        let intruder = Task { @MainActor in isIntruded = true }
        for await _ in (0..<10).map({ Future(value: $0) }).completions { MainActor.assertIsolated() }
        for try await _ in (0..<10).map({ Future(value: $0) }).valuesInOrder { MainActor.assertIsolated() }
        #expect(!isIntruded)
        await intruder.value
    }
}
