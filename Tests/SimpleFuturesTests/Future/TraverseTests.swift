import SimpleFutures
import Testing
@testable import TestSupport

@Suite("traverse", .watchdog)
struct TraverseTests {
    @Test func `results are in the order of the elements`() {
        let futures = (0..<3).map { _ in Future<String>() }
        let all = [2, 0, 1].traverse { futures[$0] }
        futures[0].success("a")
        futures[1].success("b")
        #expect(all.ended == .pending)
        futures[2].success("c")
        #expect(all.ended == .success(["c", "a", "b"]))
    }

    @Test func `the closure runs in order, on the calling thread, before the call returns`() {
        var seen: [Int] = []
        let all = [1, 2, 3].traverse(context: DroppingContext()) { number in
            seen.append(number)
            return Future(value: number)
        }
        #expect(seen == [1, 2, 3])
        #expect(all.ended == .success([1, 2, 3]))
    }

    @Test func `without elements the result is an empty array at once`() {
        #expect([Int]().traverse { Future(value: $0) }.ended == .success([]))
    }

    @Test func `an error thrown by the closure fails the result and ends the traversal`() {
        var seen: [Int] = []
        let pending = Future<Int>()
        let all = [1, 2, 3].traverse { number -> Future<Int> in
            seen.append(number)
            if number == 2 { throw Oops.thrown }
            return pending
        }
        #expect(all.ended == .failure(Oops.thrown))
        #expect(seen == [1, 2])
        #expect(pending.observerCount == 0)
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `it ends like sequence`(ending: Source.Ending, moment: Source.Moment) {
        let other = Future<Int>()
        let all = Source.ending(ending, moment) { input in [0, 1].traverse { $0 == 0 ? other : input } }
        #expect(all.ended == ending.passedOn(success: .pending))
        #expect(other.observerCount == (ending == .success ? 1 : 0))
        other.success(0)
        #expect(all.ended == ending.passedOn(success: .success([0, 1])))
    }

    @Test func `the first failure in time wins`() {
        let futures = [Future<Int>(), Future<Int>()]
        let all = [0, 1].traverse { futures[$0] }
        futures[1].failure(Oops.other)
        futures[0].failure(Oops.source)
        #expect(all.ended == .failure(Oops.other))
    }

    @Test func `the elements need not be Sendable`() {
        final class Plain {
            let number: Int
            init(_ number: Int) { self.number = number }
        }
        let all = [Plain(1), Plain(2)].traverse { Future(value: $0.number) }
        #expect(all.ended == .success([1, 2]))
    }
}
