import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future: completion", .watchdog)
struct FutureCompletionTests {
    /// The ways to complete a future, or a promise's.
    enum Way: CaseIterable, Sendable {
        case complete, success, failure, tryComplete, trySuccess, tryFailure

        /// Returns false if the call reports that the future was already completed.
        @discardableResult
        func complete(_ future: Future<Int>, _ value: Int) -> Bool {
            switch self {
            case .complete: future.complete(.success(value))
            case .success: future.success(value)
            case .failure: future.failure(Oops.other)
            case .tryComplete: return future.tryComplete(.success(value))
            case .trySuccess: return future.trySuccess(value)
            case .tryFailure: return future.tryFailure(Oops.other)
            }
            return true
        }

        @discardableResult
        func complete(_ promise: Promise<Int>, _ value: Int) -> Bool {
            switch self {
            case .complete: promise.complete(.success(value))
            case .success: promise.success(value)
            case .failure: promise.failure(Oops.other)
            case .tryComplete: return promise.tryComplete(.success(value))
            case .trySuccess: return promise.trySuccess(value)
            case .tryFailure: return promise.tryFailure(Oops.other)
            }
            return true
        }

        var isTry: Bool { [.tryComplete, .trySuccess, .tryFailure].contains(self) }

        func outcome(_ value: Int) -> Outcome<Int> {
            [.failure, .tryFailure].contains(self) ? .failure(Oops.other) : .success(value)
        }
    }

    @Test(arguments: Way.allCases)
    func `each way completes a future`(way: Way) {
        let future = Future<Int>()
        let log = Log<Outcome<Int>>()
        future.onComplete(context: immediate) { log.add(Outcome($0)) }
        #expect(way.complete(future, 3))
        #expect(future.ended == way.outcome(3))
        #expect(log.all == [way.outcome(3)])
    }

    @Test(arguments: Way.allCases, Way.allCases)
    func `the first completion wins`(first: Way, second: Way) {
        let future = Future<Int>()
        let log = Log<Outcome<Int>>()
        future.onComplete(context: immediate) { log.add(Outcome($0)) }
        first.complete(future, 1)
        #expect(second.complete(future, 2) == !second.isTry)
        #expect(future.ended == first.outcome(1))
        #expect(log.all == [first.outcome(1)])
    }

    @Test(arguments: Way.allCases)
    func `each way completes a promise`(way: Way) {
        let promise = Promise<Int>()
        #expect(!promise.completed)
        #expect(way.complete(promise, 3))
        #expect(promise.completed)
        #expect(promise.future.ended == way.outcome(3))
    }

    @Test(arguments: Way.allCases, Way.allCases)
    func `the first completion of a promise wins`(first: Way, second: Way) {
        let promise = Promise<Int>()
        first.complete(promise, 1)
        #expect(second.complete(promise, 2) == !second.isTry)
        #expect(promise.future.ended == first.outcome(1))
    }

    @Test func `the results of tryComplete, trySuccess and tryFailure can be ignored`() {
        let future = Future<Int>()
        future.tryComplete(.success(1))
        future.trySuccess(1)
        future.tryFailure(Oops.other)
        let promise = Promise<Int>()
        promise.tryComplete(.success(1))
        promise.trySuccess(1)
        promise.tryFailure(Oops.other)
    }

    @Test func `a future of Void can be completed without an argument`() {
        let future = Future<Void>()
        future.success()
        #expect(future.result?.isSuccess() == true)
        #expect(!future.trySuccess())
        #expect(Future<Void>().trySuccess())
        let promise = Promise<Void>()
        promise.success()
        #expect(promise.completed)
        #expect(!promise.trySuccess())
        let other = Promise<Void>()
        #expect(other.trySuccess())
    }

    @Test func `of many threads exactly one completes it`() async {
        for _ in 0..<200 {
            let future = Future<Int>()
            let log = Log<Int>()
            let heard = Log<Int>()
            future.onSuccess(context: immediate) { heard.add($0) }
            await together(
                { if future.trySuccess(1) { log.add(1) } }, { if future.trySuccess(2) { log.add(2) } },
                { if future.trySuccess(3) { log.add(3) } })
            #expect(log.count == 1)
            #expect(heard.all == log.all)
        }
    }
}
