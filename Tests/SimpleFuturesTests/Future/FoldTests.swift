import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("fold and reduce", .watchdog)
struct FoldTests {
    private let inputs = (0..<4).map { _ in Future<Int>() }
    /// The values that have been combined.
    private let combined = Log<Int>()

    /// Sums the inputs.
    private func sum(
        _ inputs: [Future<Int>], initial: Int = 0, on context: any ExecutionContext = immediate,
        _ body: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) -> Future<Int> {
        inputs.fold(context: context, initial: initial) { [combined] sum, value in
            combined.add(value)
            try body(value)
            return sum + value
        }
    }

    @Test func `values are combined in the order of the inputs, each as soon as all before it are available`() {
        let sum = sum(inputs, initial: 100)
        inputs[1].success(1)
        #expect(combined.all == [])
        inputs[0].success(0)
        #expect(combined.all == [0, 1])
        inputs[3].success(3)
        inputs[2].success(2)
        #expect(combined.all == [0, 1, 2, 3])
        #expect(sum.ended == .success(106))
    }

    @Test func `reduce begins with the first two, and needs no context for a single input`() {
        let steps = Log<String>()
        let sum = (1...3).map { Future(value: $0) }.reduce(context: immediate) { sum, value in
            steps.add("\(sum)+\(value)")
            return sum + value
        }
        #expect(sum.ended == .success(6))
        #expect(steps.all == ["1+2", "3+3"])
        let whole = [inputs[0]].reduce(context: DroppingContext()) { $0 + $1 }
        inputs[0].success(1)
        #expect(whole.ended == .success(1))
    }

    @Test func `the initial value can be nil`() {
        let last = [Future(value: 1)].fold(context: immediate, initial: Int?.none) { last, value in
            last == nil ? nil : value
        }
        #expect(last.ended == .success(nil))
    }

    @Test func `values that exist are combined in one hop, at most sixty-four`() {
        let context = ManualContext()
        let sum = sum((1...100).map { Future(value: $0) }, on: context)
        context.runNext()
        #expect(combined.count == 64)
        context.runNext()
        #expect(combined.count == 100)
        #expect(sum.ended == .success(5050))
        #expect(context.pendingCount == 0)
    }

    @Test func `a failure ends it at once, and no further closure begins`() {
        let context = ManualContext()
        let sum = sum(inputs, on: context)
        inputs[0].success(1)
        inputs[2].failure(Oops.source)
        #expect(sum.ended == .failure(Oops.source))
        context.run()
        #expect(combined.all == [])
        #expect(inputs[1].observerCount == 0)
    }

    @Test(arguments: [Source.Ending.failure, .cancellation, .breach], [0, 1, 2])
    func `nothing is combined if an input has already ended without a value`(ending: Source.Ending, place: Int) {
        let source = Source()
        source.end(ending)
        var inputs = [Future(value: 1), Future(value: 2)]
        inputs.insert(source.future, at: place)
        #expect(sum(inputs).ended == ending.passedOn(success: .pending))
        #expect(combined.all == [])
    }

    @Test(arguments: [true, false])
    func `a failure while the closure runs ends it at once, and the closure's result is dropped`(isElsewhere: Bool)
        async
    {
        let sum = sum(inputs) { [inputs] value in
            guard value == 1 else { return }
            guard isElsewhere else { return inputs[2].failure(Oops.source) }
            let failed = Gate()
            DispatchQueue.global().async {
                inputs[2].failure(Oops.source)
                failed.open()
            }
            failed.pass()
        }
        inputs[1].success(2)
        await onThread { [inputs] in inputs[0].success(1) }
        #expect(sum.ended == .failure(Oops.source))
        #expect(combined.all == [1])
    }

    @Test func `an error thrown by the closure, or a context that drops it, ends it and unsubscribes the others`() {
        let thrown = sum([Future(value: 1), Future(value: 2), inputs[0]]) { if $0 == 2 { throw Oops.thrown } }
        #expect(thrown.ended == .failure(Oops.thrown))
        #expect(sum([Future(value: 1), inputs[0]], on: DroppingContext()).ended == .broken)
        #expect(inputs[0].observerCount == 0)
    }
}
