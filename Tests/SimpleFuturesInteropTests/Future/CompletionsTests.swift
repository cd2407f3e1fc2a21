import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// `LinkTests` tests that loops that are left leave nothing registered, `CallStateTests` each order of the ends of futures
// and a cancellation, `AwaitTests` the single calls of `next()` in a canceled task.

@Suite("Sequences of futures as asynchronous sequences", .watchdog)
struct CompletionsTests {
    @Test func `completions arrive in the order in which the futures end, whatever the end`() async {
        for seed in 0..<UInt64(Stress.rounds(100)) {
            var random = Random(seed: seed)
            let sources = (0..<8).map { _ in Source() }
            let order = (0..<8).shuffled(using: &random)
            let endings = order.map { _ in Source.Ending.allCases.randomElement(using: &random)! }
            let countBefore = Int.random(in: 0...8, using: &random)
            for step in 0..<countBefore { sources[order[step]].end(endings[step]) }
            var iterator = sources.map(\.future).completions.makeAsyncIterator()
            // The loop is ahead of some ends and behind others.
            let yields = (0..<8).map { _ in Bool.random(using: &random) }
            let others = Task {
                for step in countBefore..<8 {
                    if yields[step] { await Task.yield() }
                    sources[order[step]].end(endings[step])
                }
            }
            var indices: [Int] = []
            while let (index, result) = await iterator.next() {
                indices.append(index)
                let ending = endings[order.firstIndex(of: index)!]
                #expect(await Answer { try result.get() } == ending.answer, "seed \(seed)")
            }
            // Futures that ended before come first, in the order of the array.
            #expect(indices == order[..<countBefore].sorted() + order[countBefore...], "seed \(seed)")
            await others.value
        }
        for await _ in [Future<Int>]().completions { Issue.record("an element") }
    }

    @Test(arguments: [true, false])
    func `a canceled task gets the existing results, and a cancellation for each other future`(_ isBefore: Bool) async {
        let sources = (0..<4).map { _ in Source() }
        let futures = sources.map(\.future)
        sources[2].end(.success)
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
        #expect(answers.map(\.1) == [.success(1), .cancelled, .cancelled, .cancelled])
        #expect(futures.allSatisfy { $0.observerCount == 0 })
        #expect(!futures[0].isCancelled)
        withExtendedLifetime(sources) {}
    }

    @Test func `values arrive in the order of the futures, whatever the order in which they end`() async throws {
        for seed in 0..<UInt64(Stress.rounds(50)) {
            var random = Random(seed: seed)
            let promises = (0..<8).map { _ in Promise<Int>() }
            let loop = Task { try await everything(in: promises.map(\.future).valuesInOrder) }
            for index in (0..<8).shuffled(using: &random) {
                promises[index].success(index)
                if Bool.random(using: &random) { await Task.yield() }
            }
            #expect(try await loop.value == Array(0..<8), "seed \(seed)")
        }
        #expect(try await everything(in: [Future<Int>]().valuesInOrder) == [])
    }

    @Test(arguments: [Source.Ending.failure, .cancellation, .breach], [true, false])
    func `valuesInOrder: the first failure in time of any future is thrown at once and ends the sequence`(
        _ ending: Source.Ending, _ isBefore: Bool
    ) async {
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
        #expect(await loop.value == [ending.answer, .success(-1)])
        #expect(sources.allSatisfy { $0.future.observerCount == 0 })
    }

    @Test func `valuesInOrder: a failure that exists comes before a value that exists`() async {
        await #expect(throws: Failure.self) {
            for try await _ in [Future(value: 1), Future(error: Failure())].valuesInOrder { Issue.record("a value") }
        }
    }

    @Test @MainActor func `on an actor, loops over both stay there`() async throws {
        try await expectNoSuspension {
            for await _ in (0..<10).map({ Future(value: $0) }).completions { MainActor.assertIsolated() }
            for try await _ in (0..<10).map({ Future(value: $0) }).valuesInOrder { MainActor.assertIsolated() }
        }
    }
}

@Suite("Names of the release candidate", .watchdog)
struct DeprecatedTests {
    @available(*, deprecated)
    @Test func `they behave like today's names`() async throws {
        let (token, gate) = (CancelToken(), Future<Void>())
        let task = Task { _ = await gate.outcome }
        token.cancel(task)
        token.cancel()
        await task.value
        #expect(task.isCancelled)
        let values = [Future(value: 1), Future(value: 2)].values
        #expect(try await everything(in: values) == [1, 2])
    }
}
