import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("fold and reduce", .watchdog)
struct FoldTests {
    @Test func `values are combined in the order of the inputs, each as soon as all before it are available`() {
        let inputs = (0..<4).map { _ in Future<Int>() }
        let steps = Log<String>()
        let sum = inputs.fold(context: immediate, initial: 100) { sum, value in
            steps.add("\(sum)+\(value)")
            return sum + value
        }
        inputs[1].success(1)
        #expect(steps.all == [])
        inputs[0].success(0)
        #expect(steps.all == ["100+0", "100+1"])
        inputs[3].success(3)
        inputs[2].success(2)
        #expect(steps.all == ["100+0", "100+1", "101+2", "103+3"])
        #expect(sum.ended == .success(106))
    }

    @Test func `reduce begins with the first two`() {
        let steps = Log<String>()
        let sum = (1...3).map { Future(value: $0) }.reduce(context: immediate) { sum, value in
            steps.add("\(sum)+\(value)")
            return sum + value
        }
        #expect(sum.ended == .success(6))
        #expect(steps.all == ["1+2", "3+3"])
    }

    @Test func `reduce of a single input needs no context`() {
        let source = Source()
        let whole = [source.future].reduce(context: DroppingContext()) { $0 + $1 }
        source.end(.success)
        #expect(whole.ended == .success(1))
    }

    @Test func `the initial value can be nil`() {
        let last = [Future(value: 1)].fold(context: immediate, initial: Int?.none) { last, value in
            last == nil ? nil : value
        }
        #expect(last.ended == .success(nil))
    }

    @Test func `closures run on the context, one at a time`() async {
        let inputs = (0..<200).map { _ in Future<Int>() }
        let isBusy = Lock(false)
        let overlaps = Log<Void>()
        let context = QueueContext(queue: Queue(DispatchQueue(label: "FoldTests", attributes: .concurrent)))
        let sum = inputs.fold(context: context, initial: 0) { sum, value in
            if isBusy.exchange(true) { overlaps.add(()) }
            defer { isBusy.exchange(false) }
            return sum + value
        }
        await onThread { DispatchQueue.concurrentPerform(iterations: 200) { inputs[$0].success(1) } }
        #expect(await sum.end() == .success(200))
        #expect(overlaps.count == 0)

        let serial = SerialContext()
        let isThere = inputs.fold(context: serial, initial: true) { isThere, _ in isThere && serial.isCurrent }
        #expect(await isThere.end() == .success(true))
    }

    @Test func `values that exist are combined in one hop, at most sixty-four`() {
        let context = ManualContext()
        let combined = Log<Int>()
        let sum = (1...100).map { Future(value: $0) }.fold(context: context, initial: 0) { sum, value in
            combined.add(value)
            return sum + value
        }
        context.runNext()
        #expect(combined.count == 64)
        context.runNext()
        #expect(combined.count == 100)
        #expect(sum.ended == .success(5050))
        #expect(context.pendingCount == 0)
    }

    @Test func `a failure ends it at once, and no further closure begins`() {
        let context = ManualContext()
        let inputs = (0..<3).map { _ in Future<Int>() }
        let combined = Log<Int>()
        let sum = inputs.fold(context: context, initial: 0) { sum, value in
            combined.add(value)
            return sum + value
        }
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
        let combined = Log<Int>()
        var inputs = [Future(value: 1), Future(value: 2)]
        inputs.insert(source.future, at: place)
        let sum = inputs.fold(context: immediate, initial: 0) { sum, value in
            combined.add(value)
            return sum + value
        }
        #expect(sum.ended == ending.passedOn(success: .pending))
        #expect(combined.all == [])
    }

    @Test func `a failure caused by the closure ends it, and the closure's result is dropped`() {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let combined = Log<Int>()
        let sum = inputs.fold(context: immediate, initial: 0) { sum, value in
            combined.add(value)
            if value == 1 { inputs[2].failure(Oops.source) }
            return sum + value
        }
        inputs[1].success(2)
        inputs[0].success(1)
        #expect(sum.ended == .failure(Oops.source))
        #expect(combined.all == [1])
    }

    @Test func `a failure on another thread while a closure runs ends it at once`() async {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let combined = Log<Int>()
        let sum = inputs.fold(context: immediate, initial: 0) { sum, value in
            combined.add(value)
            let failed = Gate()
            DispatchQueue.global().async {
                inputs[2].failure(Oops.source)
                failed.open()
            }
            failed.pass()
            return sum + value
        }
        inputs[1].success(2)
        await onThread { inputs[0].success(1) }
        #expect(sum.ended == .failure(Oops.source))
        #expect(combined.all == [1])
    }

    @Test func `an error thrown by the closure fails it`() {
        let inputs = [Future(value: 1), Future(value: 2), Future<Int>()]
        let sum = inputs.fold(context: immediate, initial: 0) { sum, value in
            guard value < 2 else { throw Oops.thrown }
            return sum + value
        }
        #expect(sum.ended == .failure(Oops.thrown))
        #expect(inputs[2].observerCount == 0)
    }

    @Test func `a context that drops the closure breaks it`() {
        let inputs = [Future(value: 1), Future<Int>()]
        #expect(inputs.fold(context: DroppingContext(), initial: 0) { $0 + $1 }.ended == .broken)
        #expect(inputs[1].observerCount == 0)
    }

    @Test func `the accumulated value is released when it fails`() {
        let inputs = [Future(value: 1), Future<Int>()]
        var result: Future<Probe>?
        let watch = Watch { probe in
            result = inputs.fold(context: immediate, initial: Probe()) { _, _ in probe }
        }
        #expect(!watch.isReleased)
        inputs[1].failure(Oops.source)
        #expect(watch.isReleased)
        #expect(result?.completed == true)
    }

    @Test func `combined values are released`() {
        let last = Future<Probe>()
        var first: Future<Probe>? = Future()
        let count = [first ?? Future(), last].fold(context: immediate, initial: 0) { count, _ in count + 1 }
        let watch = Watch { first?.success($0) }
        first = nil
        #expect(watch.isReleased)
        last.success(Probe())
        #expect(count.ended == .success(2))
    }
}
