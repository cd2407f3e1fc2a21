import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: combineLatest, withLatest(from:)", .watchdog)
struct StreamCombiningTests {
    private let numbers = FutureStream<Int>(capacity: 0)
    private let letters = FutureStream<String>(capacity: 0)

    /// Records the results of a stream, in the notation of a marble diagram.
    private func heard<A: Sendable, B: Sendable>(_ stream: FutureStream<(A, B)>) -> Log<String> {
        let log = Log<String>()
        stream.onSuccess(context: immediate) { log.add("\($0)\($1)") }
        stream.onFailure(context: immediate) { _ in log.add("!") }
        stream.onFinish(context: immediate) { log.add("|") }
        stream.onCancel(context: immediate) { log.add("x") }
        return log
    }

    // The marble diagrams of the documentation.
    @Test func `combineLatest: each value of either makes a pair`() {
        let log = heard(combineLatest(numbers, letters))
        numbers.success(1)
        #expect(log.all == [])
        letters.success("a")
        numbers.success(2)
        letters.success("b")
        letters.success("c")
        numbers.finish()
        #expect(log.all == ["1a", "2a", "2b", "2c"])
        letters.success("d")
        letters.finish()
        #expect(log.all == ["1a", "2a", "2b", "2c", "2d", "|"])
    }

    // The pages for RxSwift, Combine and ReactiveSwift say this.
    @Test func `a closure that runs later holds up its branch, an immediate one doesn't`() {
        let context = ManualContext()
        let later = heard(numbers.withLatest(from: letters.map(context: context) { $0.uppercased() }))
        let atOnce = heard(numbers.withLatest(from: letters.map(context: immediate) { $0.uppercased() }))
        letters.success("a")
        context.run()
        letters.success("b")
        numbers.success(1)
        #expect(later.all == ["1A"] && atOnce.all == ["1B"])
    }

    @Test func `flatMapLatest skips values that arrive before its closure runs, an immediate one doesn't`() {
        let (context, later, atOnce) = (ManualContext(), Log<Int>(), Log<Int>())
        numbers.flatMapLatest(context: context) { Future(value: $0) }.onSuccess(context: immediate) { later.add($0) }
        numbers.flatMapLatest(context: immediate) { Future(value: $0) }.onSuccess(context: immediate) { atOnce.add($0) }
        for number in 1...3 { numbers.success(number) }
        context.run()
        #expect(later.all == [3] && atOnce.all == [1, 2, 3])
    }

    @Test func `merging into a stream of one value puts the value first`() {
        let started = FutureStream(value: 0, capacity: 1).merge(numbers)
        let log = Log<String>()
        started.onSuccess(context: immediate) { log.add("\($0)") }
        started.onFinish(context: immediate) { log.add("|") }
        numbers.success(1)
        started.onSuccess(context: immediate) { log.add("late \($0)") }
        numbers.finish()
        #expect(log.all == ["0", "1", "late 1", "|"])
    }

    @Test func `withLatest: each value of the first makes a pair`() {
        let log = heard(numbers.withLatest(from: letters))
        numbers.success(1)
        letters.success("a")
        numbers.success(2)
        letters.success("b")
        numbers.success(3)
        letters.finish()
        numbers.success(4)
        #expect(log.all == ["2a", "3b", "4b"])
        numbers.finish()
        #expect(log.all == ["2a", "3b", "4b", "|"])
    }

    @Test(arguments: [false, true])
    func `a source canceled before the other one ends without a value makes the end a cancellation`(_ isFirst: Bool) {
        let token = CancelToken()
        let canceled = numbers.map(context: immediate, cancelToken: token) { $0 }
        let log =
            isFirst ? heard(canceled.combineLatest(letters)) : heard(letters.combineLatest(canceled))
        numbers.success(1)
        token.cancel()
        letters.finish()
        #expect(log.all == ["x"])
    }

    @Test func `combineLatest of three`() {
        let third = FutureStream<Bool>(capacity: 0)
        let log = heard(combineLatest(numbers, letters, third).map(context: immediate) { ("\($0)\($1)", $2) })
        numbers.success(1)
        third.success(true)
        letters.success("a")
        third.success(false)
        numbers.success(2)
        #expect(log.all == ["1atrue", "1afalse", "2afalse"])
    }

    @Test func `failures of both are passed on, and change no latest value`() {
        let (both, first) = (heard(numbers.combineLatest(letters)), heard(numbers.withLatest(from: letters)))
        numbers.success(1)
        numbers.failure(Oops.source)
        letters.success("a")
        letters.failure(Oops.other)
        numbers.success(2)
        #expect(both.all == ["!", "1a", "!", "2a"])
        #expect(first.all == ["!", "!", "2a"])
    }

    @Test(arguments: [true, false])
    func `combineLatest ends when one has ended without a value`(swaps: Bool) {
        let (one, other) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
        let log = heard(swaps ? other.combineLatest(one) : one.combineLatest(other))
        other.success(1)
        one.finish()
        #expect(log.all == ["|"])
        #expect(other.core.subscriberCount == 0)
    }

    @Test func `a canceled source makes the end a cancellation`() {
        let source = Emitter(capacity: 0)
        let (both, first) = (
            heard(source.stream.combineLatest(letters)), heard(source.stream.withLatest(from: letters))
        )
        source.emit(1)
        letters.success("a")
        source.end(.cancellation)
        #expect(first.all == ["x"])
        letters.success("b")
        letters.finish()
        #expect(both.all == ["1a", "1b", "x"])
    }

    @Test func `the cancellation of the other stream does not make the end of withLatest a cancellation`() {
        let other = Emitter(capacity: 0)
        let log = heard(numbers.withLatest(from: other.stream.map(context: immediate) { "\($0)" }))
        other.emit(1)
        other.end(.cancellation)
        numbers.success(2)
        numbers.finish()
        #expect(log.all == ["21", "|"])
    }

    @Test func `replayed elements count: the latest one of the other stream, and all of the first`() {
        let (kept, old) = (FutureStream<Int>(), FutureStream<String>())
        for value in 1...3 { kept.success(value) }
        old.success("a")
        old.success("b")
        #expect(heard(kept.withLatest(from: old)).all == ["1b", "2b", "3b"])
        #expect(heard(kept.combineLatest(old)).all == ["3a", "3b"])
    }

    @Test func `a callback can emit into both sources`() {
        let log = heard(numbers.combineLatest(letters))
        letters.onSuccess(context: immediate) { [numbers] in if $0 == "b" { numbers.success(2) } }
        numbers.success(1)
        letters.success("a")
        letters.success("b")
        #expect(log.all == ["1a", "1b", "2b"])
    }

    @Test func `latest values are released with the stream, and a replaced value at once`() {
        let source = FutureStream<Probe>(capacity: 0)
        var combined: FutureStream<(Probe, String)>? = source.combineLatest(letters)
        combined?.onSuccess(context: immediate) { _ in }
        let first = Watch { source.success($0) }
        #expect(!first.isReleased)
        let second = Watch { source.success($0) }
        #expect(first.isReleased && !second.isReleased)
        source.finish()
        letters.finish()
        combined = nil
        #expect(second.isReleased)
    }
}
