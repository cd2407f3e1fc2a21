import SimpleFutures
import Testing
@testable import TestSupport

@Suite("firstCompleted, firstSucceeded, find, settled", .watchdog)
struct FirstTests {
    @Test func `among completed inputs the first in order wins`() {
        let inputs = [Future<Int>(), Future<Int>(error: Oops.source), Future(value: 2), Future(value: 3)]
        #expect(inputs.firstCompleted().ended == .failure(Oops.source))
        #expect(inputs.firstSucceeded().ended == .success(2))
        #expect(inputs.find(context: immediate) { $0 > 2 }.ended == .success(3))
        #expect(inputs[0].observerCount == 0)
    }

    @Test(arguments: [ManyInputs.firstCompleted, .firstSucceeded, .find])
    func `the winner counts while others are pending, and their later results are dropped`(_ race: ManyInputs) {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let result = race.apply(inputs)
        inputs[2].success(2)
        inputs[0].success(0)
        inputs[1].failure(Oops.source)
        #expect(result.ended == .success([2]))
    }

    @Test func `a mix of failures and cancellations fails with noSuchElement`() {
        let cancelled = Source()
        let inputs = [cancelled.future, Future<Int>(error: Oops.source)]
        let results = [inputs.firstSucceeded(), inputs.find(context: immediate) { _ in true }]
        #expect(results.map { $0.ended } == [.pending, .pending])
        cancelled.end(.cancellation)
        #expect(results.map { $0.ended } == Array(repeating: .failure(FuturesError.noSuchElement), count: 2))
    }

    @Test func `find calls its closure on its context until it returns true`() {
        let context = ManualContext()
        let inputs = (0..<4).map { _ in Future<Int>() }
        let asked = Log<Int>()
        let found = inputs.find(context: context) { value in
            asked.add(value)
            return value == 2
        }
        for index in [1, 2, 3] { inputs[index].success(index) }
        #expect(asked.all == [])
        context.run()
        #expect(asked.all == [1, 2])
        #expect(found.ended == .success(2))
        #expect(inputs[0].observerCount == 0)
    }

    @Test(arguments: [true, false])
    func `find stops calling its closure after a match or failure, even with completed inputs`(finds: Bool) {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let asked = Log<Int>()
        let found = inputs.find(context: immediate) { value in
            asked.add(value)
            guard finds else { throw Oops.thrown }
            return true
        }
        Future(value: 1).onSuccess(context: immediate) { _ in
            for index in 0..<3 { inputs[index].success(index) }
        }
        #expect(asked.all == [0])
        #expect(found.ended == (finds ? .success(0) : .failure(Oops.thrown)))
    }

    @Test func `find fails if the closure returns false for all values`() {
        let inputs = [Future(value: 1), Future(value: 2)]
        #expect(inputs.find(context: immediate) { $0 > 2 }.ended == .failure(FuturesError.noSuchElement))
    }

    @Test func `an error thrown by the closure of find fails it`() {
        let inputs = [Future<Int>(), Future(value: 1)]
        #expect(inputs.find(context: immediate) { _ in throw Oops.thrown }.ended == .failure(Oops.thrown))
        #expect(inputs[0].observerCount == 0)
    }

    @Test func `a context that drops the closure of find breaks it`() {
        #expect([Future(value: 1)].find(context: DroppingContext()) { _ in true }.ended == .broken)
    }

    @Test func `settled keeps errors and order`() {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let all = inputs.settled()
        inputs[2].success(2)
        inputs[1].failure(Oops.source)
        inputs[0].success(0)
        guard case .success(let results) = all.result else {
            Issue.record("\(all.debugDescription)")
            return
        }
        #expect(results.map { $0.value } == [0, nil, 2])
        #expect(results.map { $0.error as? Oops } == [nil, .source, nil])
    }

    @Test func `a timeout can be one of the inputs`() {
        let context = ManualContext()
        let slow = Future<Int>()
        let token = CancelToken()
        let answer = [slow, .after(.seconds(1), value: -1, context: context, cancelToken: token)].firstCompleted()
        context.advance(by: .milliseconds(999))
        #expect(answer.ended == .pending)
        context.advance(by: .milliseconds(1))
        #expect(answer.ended == .success(-1))
        #expect(slow.observerCount == 0)
    }

    @Test func `a race without a winner has all errors`() throws {
        let futures = [Future<Int>(), Future(), Future()]
        let first = futures.firstSucceeded()
        futures[2].failure(Oops.other)
        futures[0].failure(Oops.source)
        #expect(first.ended == .pending)
        futures[1].cancelAsTarget()
        let error = try #require(first.result?.error as? NoneSucceeded)
        #expect(error.errors as? [Oops] == [.other, .source])
        #expect("\(error)" == "None of 2 succeeded: other; source")
        // A nested race contributes its first error.
        let outer = [first, Future(error: Oops.thrown)].firstSucceeded()
        #expect((outer.result?.error as? NoneSucceeded)?.errors as? [Oops] == [.other, .thrown])
    }
}
