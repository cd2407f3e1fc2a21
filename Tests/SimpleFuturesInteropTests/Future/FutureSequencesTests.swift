import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("futures.completions, futures.values", .watchdog)
struct FutureSequencesTests {
    @Test func `completions come in the order in which the futures end, in whatever way they do`() async {
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
            // What has ended before comes first, in the order of the futures.
            #expect(indices == order[..<countBefore].sorted() + order[countBefore...], "seed \(seed)")
        }
    }

    @Test func `values come in the order of the futures, whatever the order in which they end`() async throws {
        for seed in 0..<UInt64(Stress.rounds(50)) {
            var random = Seeded(seed: seed)
            let promises = (0..<8).map { _ in Promise<Int>() }
            let futures = promises.map(\.future)
            let loop = Task {
                var values: [Int] = []
                for try await value in futures.values { values.append(value) }
                return values
            }
            for index in (0..<8).shuffled(using: &random) {
                promises[index].success(index)
                if Bool.random(using: &random) { await Task.yield() }
            }
            #expect(try await loop.value == Array(0..<8), "seed \(seed)")
        }
    }

    @Test(arguments: [Ending.failed, .cancelled, .broken])
    func `values: what fails at the end of the row is thrown at once, and that is the end`(_ ending: Ending) async {
        for isBefore in [true, false] {
            let sources = (0..<3).map { _ in Source() }
            if isBefore { sources[2].end(ending) }
            let loop = Task {
                var iterator = sources.map(\.future).values.makeAsyncIterator()
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

    @Test func `a cancelled task gets what is there, and a cancellation for each of the others`() async {
        let sources = (0..<4).map { _ in Source() }
        sources[2].end(.completed)
        let answers = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var answers: [Int: Answer] = [:]
            for await (index, result) in sources.map(\.future).completions {
                answers[index] = await Answer { try result.get() }
            }
            return answers
        }.value
        #expect(answers == [0: .cancellation, 1: .cancellation, 2: .value(1), 3: .cancellation])
        #expect(sources.allSatisfy { $0.future.observerCount == 0 })
    }

    @Test func `as many completions as futures, whatever a cancellation races with`() async {
        for _ in 0..<Stress.rounds(200) {
            let promises = (0..<6).map { _ in Promise<Int>() }
            let loop = Task {
                var indices: [Int] = []
                for await (index, _) in promises.map(\.future).completions { indices.append(index) }
                return indices.sorted()
            }
            await withTaskGroup { group in
                group.addTask { loop.cancel() }
                group.addTask { for promise in promises { promise.success(1) } }
            }
            #expect(await loop.value == Array(0..<6))
        }
    }
}
