import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: take, drop, distinct", .watchdog)
struct StreamSlicingTests {
    private let source = FutureStream<Int>()

    @Test func `take finishes with its last element and releases its source at once`() {
        let derived = source.take(3)
        let log = derived.heard()
        source.success(1)
        source.failure(Oops.source)
        #expect(source.core.subscriberCount == 1)
        source.success(2)
        #expect(source.core.subscriberCount == 0)
        source.success(3)
        #expect(log.all == [1, .failure(Oops.source), 2, .finish])
        #expect(derived.state == log.all)
    }

    @Test func `take of replayed elements needs nothing more`() {
        for value in 1...5 { source.success(value) }
        #expect(source.take(2).state == [1, 2, .finish])
        #expect(source.core.subscriberCount == 0)
    }

    @Test func `take of zero elements has finished from the start`() {
        source.success(1)
        #expect(source.take(0).state == [.finish])
        #expect(source.core.subscriberCount == 0)
    }

    @Test(arguments: Emitter.Ending.allCases)
    func `take of more elements than there are ends as its source does`(_ ending: Emitter.Ending) {
        let source = Emitter()
        let derived = source.stream.take(3)
        source.emit(1)
        source.end(ending)
        #expect(derived.state == [1, ending.passedOn()])
    }

    @Test func `take inside a re-entrant emission takes exactly its count`() {
        let derived = source.take(2)
        derived.onSuccess(context: immediate) { [source] in source.success($0 + 1) }
        source.success(1)
        #expect(derived.state == [1, 2, .finish])
        #expect(source.state == [1, 2, 3])
    }

    @Test func `drop leaves out the first elements, failures included`() {
        let derived = source.drop(2)
        source.failure(Oops.source)
        source.success(1)
        source.success(2)
        source.failure(Oops.other)
        source.finish()
        #expect(derived.state == [2, .failure(Oops.other), .finish])
        #expect(source.drop(0).count == 4)
        #expect(source.drop(9).state == [.finish])
    }

    @Test func `negative counts trap with a message that contains them`() async {
        let takes = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>().take(-1)
        }
        expect(takes, toSay: "`take` was given the count -1")
        let drops = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>().drop(-1)
        }
        expect(drops, toSay: "`drop` was given the count -1")
    }

    @Test func `distinct leaves out elements equal to the previous one`() {
        let derived = source.distinct(context: immediate)
        for value in [1, 1, 2, 2, 2, 1, 3, 3] { source.success(value) }
        source.failure(Oops.source)
        source.success(3)
        source.success(4)
        source.finish()
        #expect(derived.state == [1, 2, 1, 3, .failure(Oops.source), 4, .finish])
    }

    @Test func `distinct compares with the last emitted element by the given closure`() {
        let derived = source.distinct(context: immediate) { last, next in
            if next == 13 { throw Oops.thrown }
            return abs(last - next) < 3
        }
        for value in [1, 2, 3, 4, 5, 6, 13, 8] { source.success(value) }
        #expect(derived.state == [1, 4, .failure(Oops.thrown), 8])
    }

    @Test func `with two emitting threads take passes exactly its count`() {
        race(rounds: Stress.rounds(100)) {
            let source = FutureStream<Int>(capacity: 0)
            return (source: source, log: source.take(5).heard())
        } _: { arena in
            for value in 0..<10 { arena.source.success(value) }
        } _: { arena in
            for value in 0..<10 { arena.source.success(value) }
        } check: { arena in
            try verify(arena.log.count == 6 && arena.log.all.last == .finish, "five, then the end: \(arena.log.all)")
            try verify(arena.source.core.subscriberCount == 0, "no subscriber is left")
        }
    }
}
