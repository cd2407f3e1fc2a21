import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Sequences of futures as asynchronous sequences", .watchdog)
struct CompletionsTests {
    @Test func `completions: in the order of completion, with the index`() async {
        let promises = (0..<4).map { _ in Promise<Int>() }
        let token = CancelToken()
        let futures = promises.map(\.future) + [Future(value: 9), Promise<Int>().future.map(cancelToken: token) { $0 }]
        promises[2].success(2)
        let log = Task {
            var log: [String] = []
            for await (index, result) in futures.completions {
                log.append("\(index) \(result)")
                switch log.count {
                case 3: promises[3].failure(Failure())
                case 4: promises[0].success(0)
                case 5: promises[1].success(1)
                default: break
                }
            }
            return log
        }
        #expect(
            await log.value.map { $0.prefix(11) }
                == [
                    "2 success(2)", "4 success(9)", "5 failure(B", "3 failure(S", "0 success(0)", "1 success(1)",
                ].map { $0.prefix(11) })
        token.cancel()
    }

    @Test func `completions: as many elements as futures, in a cancelled task too`() async {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let futures = promises.map(\.future)
        promises[1].success(1)
        let task = Task {
            var log: [(Int, Try<Int>)] = []
            for await element in futures.completions { log.append(element) }
            return log
        }
        await until { futures[0].observerCount == 1 && futures[2].observerCount == 1 }
        task.cancel()
        let log = await task.value
        #expect(log.map(\.0) == [1, 0, 2])
        #expect(log[0].1.value == 1)
        #expect(log[1].1.error is CancellationError && log[2].1.error is CancellationError)
        #expect(futures.allSatisfy { $0.observerCount == 0 })
        #expect(!futures[0].isCancelled)
    }

    @Test func `completions: nothing of no futures; a cancelled future is a failure`() async {
        for await _ in [Future<Int>]().completions { Issue.record("an element") }
        let token = CancelToken()
        token.cancel()
        let cancelled = Future(value: 1).map(cancelToken: token) { $0 }
        for await (_, result) in [cancelled].completions { #expect(result.error is CancellationError) }
    }

    @Test func `values: in the order of the futures`() async throws {
        let promises = (0..<5).map { _ in Promise<Int>() }
        let task = Task {
            var values: [Int] = []
            for try await value in promises.map(\.future).values { values.append(value) }
            return values
        }
        for number in [3, 1, 0, 4, 2] {
            promises[number].success(number)
            await Task.yield()
        }
        #expect(try await task.value == [0, 1, 2, 3, 4])
        for try await _ in [Future<Int>]().values { Issue.record("an element") }
    }

    @Test func `values: the first failure in time is thrown at once, wherever it stands`() async {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let futures = promises.map(\.future)
        var iterator = futures.values.makeAsyncIterator()
        promises[0].success(0)
        #expect(await Answer { try await iterator.next() ?? -1 } == .value(0))
        promises[2].failure(Failure())
        #expect(await Answer { try await iterator.next() ?? -1 } == .failure)
        #expect(await Answer { try await iterator.next() ?? -1 } == .value(-1))
        #expect(
            await Answer {
                for try await value in [Future(value: 1), Future(error: Failure())].values { return value }; return 0
            } == .failure)
    }

    @Test func `values: a cancelled task that waits gets CancellationError, one that need not gets the value`() async {
        let futures = [Future(value: 1), Future<Int>()]
        let task = Task {
            var iterator = futures.values.makeAsyncIterator()
            withUnsafeCurrentTask { $0?.cancel() }
            let first = await Answer { try await iterator.next() ?? -1 }
            let second = await Answer { try await iterator.next() ?? -1 }
            return [first, second]
        }
        #expect(await task.value == [.value(1), .cancellation])
        #expect(futures[1].observerCount == 0)
    }

    @Test func `a loop that is left leaves nothing registered`() async {
        let pending = Future<Int>()
        for _ in 0..<1_000 * Stress.factor {
            for await _ in [Future(value: 1), pending].completions { break }
            do { for try await _ in [Future(value: 1), pending].values { break } } catch { Issue.record("\(error)") }
        }
        #expect(pending.observerCount == 0)
    }

    @Test @MainActor func `on an actor, the loop stays there`() async throws {
        var isIntruded = false
        let intruder = Task { @MainActor in isIntruded = true }
        for await _ in (0..<10).map({ Future(value: $0) }).completions { MainActor.assertIsolated() }
        for try await _ in (0..<10).map({ Future(value: $0) }).values { MainActor.assertIsolated() }
        #expect(!isIntruded)
        await intruder.value
    }

    @Test func `many futures that are completed from many threads all come`() async {
        for round in 0..<Stress.rounds(20) {
            let futures = (0..<50).map { _ in Future<Int>() }
            async let seen: [Int] = {
                var seen: [Int] = []
                for await (index, result) in futures.completions {
                    #expect(result.value == index)
                    seen.append(index)
                }
                return seen
            }()
            await withTaskGroup(of: Void.self) { group in
                for part in 0..<4 {
                    group.addTask {
                        for index in stride(from: part, to: 50, by: 4) {
                            futures[(index + round) % 50].success((index + round) % 50)
                        }
                    }
                }
            }
            if await seen.sorted() != Array(0..<50) { Issue.record("some are missing") }
        }
    }
}
