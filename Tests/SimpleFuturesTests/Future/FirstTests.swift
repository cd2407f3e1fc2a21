import Testing
@testable import SimpleFutures
@testable import TestSupport

@Suite("firstCompleted, firstSucceeded, find, settled", .watchdog)
struct FirstTests {
    private let inputs = (0..<4).map { _ in Future<Int>() }

    @Test(arguments: [true, false])
    func `find stops calling its closure after a match or failure, even with completed inputs`(finds: Bool) {
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
        #expect(inputs[3].observerCount == 0)
    }

    @Test func `the first completed input wins, even inside a callback of another one`() {
        let (one, two) = (Future(value: 1), Future(value: 2))
        let firsts = Log<Outcome<Int>>()
        one.onSuccess(context: immediate) { _ in
            let inputs = [Future(), two, one]
            for first in [inputs.firstCompleted(), inputs.firstSucceeded()] {
                first.onComplete(context: immediate) { firsts.add(Outcome($0)) }
            }
        }
        #expect(firsts.all == [.success(2), .success(2)])
    }

    @Test func `an input keeps one stale registration, however many races it has lost`() {
        let long = inputs[0]
        for number in 1...6 {
            let winner = Future<Int>()
            let first = [long, winner].firstCompleted()
            winner.success(number)
            #expect(first.ended == .success(number))
            #expect(long.withState { $0.count } == 1)
        }
    }

    @Test func `find fails if its closure returns false for all values, and breaks if its context drops the closure`() {
        let inputs = [Future(value: 1), Future(value: 2)]
        #expect(inputs.find(context: immediate) { $0 > 2 }.ended == .failure(FuturesError.noSuchElement))
        #expect(inputs.find(context: DroppingContext()) { _ in true }.ended == .broken)
    }

    @Test func `a race that is won releases its errors, even if an input stays pending`() {
        let (pending, winner) = (inputs[0], inputs[1])
        var first: Future<Int>?
        let watch = Watch { probe in
            let loser = Future<Int>()
            first = [loser, pending, winner].firstSucceeded()
            loser.failure(ProbeError(probe: probe))
        }
        #expect(!watch.isReleased)
        winner.success(1)
        #expect(first?.ended == .success(1))
        #expect(watch.isReleased)
    }

    @Test func `a race that is won at once registers nothing with further inputs`() {
        let first = [Future(value: 1), inputs[0]].firstCompleted()
        #expect(first.ended == .success(1))
        #expect(inputs[0].withState { $0.count } == 0)
    }

    @Test func `a race releases an error that is counted after it was won, even if an input stays pending`() {
        let (pending, winner, first) = (inputs[0], inputs[1], Future<Int>())
        let watch = Watch { probe in
            let (loser, late) = (Future<Int>(), Box<Race?>(nil))
            Race.start([pending, winner, loser], to: first) { race, input in
                // The thread of the loser is slow.
                if input === loser { late.value = race } else { race.win { _ in first.success(1) } }
            }
            loser.failure(ProbeError(probe: probe))
            winner.success(1)
            late.value?.giveUp(loser, keepsErrors: true)
        }
        #expect(first.ended == .success(1))
        #expect(watch.isReleased)
    }

    @Test func `a race without a winner has all errors, and is not canceled by a cancellation`() throws {
        let inputs = inputs.prefix(3)
        let first = inputs.firstSucceeded()
        let found = inputs.find(context: immediate) { _ in true }
        inputs[2].failure(Oops.other)
        inputs[0].failure(Oops.source)
        #expect([first.ended, found.ended] == [.pending, .pending])
        inputs[1].cancelAsTarget()
        #expect([first.ended, found.ended] == Array(repeating: .failure(FuturesError.noSuchElement), count: 2))
        let error = try #require(first.result?.error as? NoneSucceeded)
        #expect(error.errors as? [Oops] == [.other, .source])
        #expect("\(error)" == "None of 2 succeeded: other; source")
        // A nested race contributes its first error.
        let outer = [first, Future(error: Oops.thrown)].firstSucceeded()
        #expect((outer.result?.error as? NoneSucceeded)?.errors as? [Oops] == [.other, .thrown])
    }
}
