import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: andThen, forEach, take", .watchdog)
struct StreamTransformingTests {
    private let source = FutureStream<Int>()

    @Test func `andThen runs before the element is passed on`() {
        let log = Log<Int>()
        let derived = source.andThen(context: immediate) { log.add($0) }
        derived.onSuccess(context: immediate) { log.add(-$0) }
        for value in 1...2 { source.success(value) }
        #expect(log.all == [1, -1, 2, -2])
    }

    @Test func `forEach is onSuccess`() {
        let log = Log<Int>()
        let token = CancelToken()
        source.forEach(context: immediate) { log.add($0) }
        source.forEach(context: immediate, cancelToken: token) { log.add($0 * 10) }
        source.success(1)
        token.cancel()
        source.success(2)
        #expect(log.all == [1, 10, 2])
    }

    @Test func `take of replayed elements, or of none, has finished from the start`() {
        for value in 1...5 { source.success(value) }
        #expect(source.take(2).state == [1, 2, .finish])
        #expect(source.take(0).state == [.finish])
        #expect(source.core.subscriberCount == 0)
    }

    @Test func `take of no elements under a canceled token is canceled`() {
        let token = CancelToken()
        token.cancel()
        #expect(FutureStream<Int>().take(0, cancelToken: token).isCancelled)
    }

    @Test func `take inside a re-entrant emission takes exactly its count`() {
        let derived = source.take(2)
        derived.onSuccess(context: immediate) { [source] in source.success($0 + 1) }
        source.success(1)
        #expect(derived.state == [1, 2, .finish])
        #expect(source.state == [1, 2, 3])
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

@Suite("FutureStream: reduce", .watchdog)
struct StreamReduceTests {
    private let stream = FutureStream<Int>(capacity: 0)

    private func reduced() -> Future<Int> {
        stream.reduce(10, context: immediate) { sum, value in
            guard value >= 0 else { throw Oops.source }
            return sum + value
        }
    }

    @Test(arguments: [[], [1, 2, 3]])
    func `it combines the initial result and all values when the stream finishes`(_ values: [Int]) {
        let sum = reduced()
        for value in values { stream.success(value) }
        #expect(sum.ended == .pending)
        stream.finish()
        #expect(sum.ended == .success(values.reduce(10, +)))
    }

    @Test(arguments: [true, false])
    func `the first failure or thrown error fails it, and releases the stream`(_ isThrown: Bool) {
        let sum = reduced()
        stream.success(1)
        if isThrown { stream.success(-1) } else { stream.failure(Oops.source) }
        #expect(sum.ended == .failure(Oops.source))
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `in place, it never copies the result`() {
        let added = stream.reduce(into: Numbers(), context: immediate) { numbers, value in
            guard value >= 0 else { throw Oops.source }
            numbers.add(value)
        }
        for value in 0..<100 { stream.success(value) }
        stream.finish()
        #expect(added.result?.value?.all == Array(0..<100))
        #expect(added.result?.value?.copies == 0)
    }
}

/// Counts how often its storage is copied before a change.
private struct Numbers: Sendable {
    private final class Storage: @unchecked Sendable {
        // Sendable: changed only by its only owner.
        var all: [Int] = []
    }

    private var storage = Storage()
    private(set) var copies = 0
    var all: [Int] { storage.all }

    mutating func add(_ number: Int) {
        if !isKnownUniquelyReferenced(&storage) {
            let copy = Storage()
            copy.all = storage.all
            storage = copy
            copies += 1
        }
        storage.all.append(number)
    }
}
