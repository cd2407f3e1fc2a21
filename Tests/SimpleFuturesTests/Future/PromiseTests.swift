import SimpleFutures
import Testing
@testable import TestSupport

/// The functions that a future and a promise share.
private protocol Completable {
    func complete(_ result: Try<Int>)
    func success(_ value: Int)
    func failure(_ error: any Error)
    func tryComplete(_ result: Try<Int>) -> Bool
    func trySuccess(_ value: Int) -> Bool
    func tryFailure(_ error: any Error) -> Bool
}

extension Future: Completable where T == Int {}
extension Promise: Completable where T == Int {}

@Suite("Future and Promise: completion", .watchdog)
struct FutureCompletionTests {
    enum Way: CaseIterable, Sendable {
        case complete, success, failure, tryComplete, trySuccess, tryFailure

        /// Returns false if the call reports that the future was already completed.
        fileprivate func complete(_ target: any Completable, _ value: Int) -> Bool {
            switch self {
            case .complete: target.complete(.success(value))
            case .success: target.success(value)
            case .failure: target.failure(Oops.other)
            case .tryComplete: return target.tryComplete(.success(value))
            case .trySuccess: return target.trySuccess(value)
            case .tryFailure: return target.tryFailure(Oops.other)
            }
            return true
        }

        var isTry: Bool { [.tryComplete, .trySuccess, .tryFailure].contains(self) }

        func outcome(_ value: Int) -> Outcome<Int> {
            [.failure, .tryFailure].contains(self) ? .failure(Oops.other) : .success(value)
        }
    }

    @Test(arguments: Way.allCases, Way.allCases)
    func `each way completes a future or a promise, and the first completion wins`(first: Way, second: Way) {
        let (bare, promise) = (Future<Int>(), Promise<Int>())
        let targets: [(any Completable, Future<Int>)] = [(bare, bare), (promise, promise.future)]
        #expect(!promise.completed)
        for (target, future) in targets {
            let log = Log<Outcome<Int>>()
            future.onComplete(context: immediate) { log.add(Outcome($0)) }
            #expect(first.complete(target, 1))
            #expect(future.ended == first.outcome(1))
            #expect(second.complete(target, 2) == !second.isTry)
            #expect(future.ended == first.outcome(1))
            #expect(log.all == [first.outcome(1)])
        }
        #expect(promise.completed)
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

    @Test func `a future or promise of Void can be completed without an argument`() {
        let future = Future<Void>()
        future.success()
        #expect(future.result?.isSuccess() == true)
        #expect(!future.trySuccess())
        #expect(Future<Void>().trySuccess())
        let promise = Promise<Void>()
        promise.success()
        #expect(promise.completed)
        #expect(!promise.trySuccess())
        #expect(Promise<Void>().trySuccess())
    }
}
