import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("traverse with an asynchronous closure", .watchdog)
struct AsyncTraverseTests {
    @Test(arguments: [1, 3, 100, Int.max])
    func `values are in the order of the elements, and no more calls run than allowed`(limit: Int) async {
        let (running, most) = (Box(0), Box(0))
        let all = (0..<20).traverse(maxConcurrent: limit) { number in
            let count = running.change { count in
                count += 1
                return count
            }
            most.change { $0 = max($0, count) }
            for _ in 0..<(20 - number) { await Task.yield() }
            running.change { $0 -= 1 }
            return "\(number)"
        }
        #expect(await all.outcome.value == (0..<20).map { "\($0)" })
        #expect(most.value <= limit)
    }

    @Test func `without elements there is no call`() async {
        let none = [Int]().traverse { (number: Int) async throws -> Int in throw Oops.other }
        #expect(await none.outcome.value == [])
    }

    @Test func `a failure cancels the running calls, and no further call begins`() async {
        let begun = Log<Int>()
        let all = [1, 2, 3, 4].traverse(maxConcurrent: 2) { (number: Int) async throws -> Int in
            begun.add(number)
            guard number == 2 else {
                try await Task.sleep(for: .seconds(1_000))
                return number
            }
            await until { begun.count == 2 }
            throw Oops.thrown
        }
        #expect(await all.outcome.error as? Oops == .thrown)
        #expect(begun.all.sorted() == [1, 2])
    }

    @Test(arguments: [2, Int.max])
    func `the token cancels the calls, and no further call begins`(limit: Int) async {
        let (begun, token) = (Log<Int>(), CancelToken())
        let all = (0..<10).traverse(maxConcurrent: limit, cancelToken: token) { (number: Int) async throws -> Int in
            begun.add(number)
            try await Task.sleep(for: .seconds(1_000))
            return number
        }
        await until { begun.count >= 2 }
        token.cancel()
        #expect(await all.outcome.error is CancellationError)
        #expect(limit == .max || begun.count == 2)
        let late = [1].traverse(cancelToken: token) { (number: Int) async throws -> Int in
            begun.add(-1)
            return number
        }
        #expect(await late.outcome.error is CancellationError)
        #expect(!begun.all.contains(-1))
    }

    @Test func `after a cancellation no further call begins, even if the running one ignores it`() async {
        let (begun, token, gate) = (Log<Int>(), CancelToken(), Promise<Void>())
        let all = (0..<3).traverse(maxConcurrent: 1, cancelToken: token) { number in
            begun.add(number)
            await withCheckedContinuation { done in gate.future.onComplete(context: immediate) { _ in done.resume() } }
            return number
        }
        await until { begun.count == 1 }
        token.cancel()
        gate.success()
        #expect(await all.outcome.error is CancellationError)
        #expect(begun.all == [0])
    }

    @Test @MainActor func `the closure belongs to the caller's actor`() async {
        // Isolated, so that it can be called only on the actor.
        var seen: [Int] = []
        func note(_ number: Int) async -> Int {
            seen.append(number)
            return number * 2
        }
        let all = [1, 2, 3].traverse { await note($0) }
        #expect(await all.outcome.value == [2, 4, 6])
        #expect(seen.sorted() == [1, 2, 3])
    }

    @Test func `a closure that returns a future still makes a future of the values`() async {
        let all: Future<[Int]> = [1, 2].traverse { Future(value: $0) }
        #expect(await all.outcome.value == [1, 2])
        let inferred = [1, 2].traverse { Future(value: $0) }
        #expect(type(of: inferred) == Future<[Int]>.self)
        let token = CancelToken()
        let limited = [1, 2].traverse(maxConcurrent: 1, cancelToken: token) { Future(value: $0) }
        #expect(await limited.outcome.value == [1, 2])
        let typed = [1, 2].traverse(maxConcurrent: 1, cancelToken: token) { TypedFuture<Int, Oops>(value: $0) }
        #expect((try? await typed.value) == [1, 2])
        token.cancel()
        let canceled = [1].traverse(maxConcurrent: 1, cancelToken: token) { TypedFuture<Int, Oops>(value: $0) }
        #expect(canceled.future.isCancelled)
    }

    @Test func `a limit of zero is a programmer error that says what is allowed`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = [1].traverse(maxConcurrent: 0) { (number: Int) async throws -> Int in number }
        }
        let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(said.contains("`traverse(maxConcurrent:)` was given 0; it must be at least 1."))
    }
}
