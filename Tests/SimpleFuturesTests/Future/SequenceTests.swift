import SimpleFutures
import Testing
@testable import TestSupport

@Suite("sequence", .watchdog)
struct SequenceTests {
    @Test func `results are in the order of the inputs`() {
        let inputs = (0..<5).map { _ in Future<Int>() }
        let all = inputs.sequence()
        for index in [3, 0, 4, 1, 2] {
            #expect(all.ended == .pending)
            inputs[index].success(index)
        }
        #expect(all.ended == .success([0, 1, 2, 3, 4]))
    }

    @Test func `without inputs the result is an empty array at once`() {
        #expect([Future<Int>]().sequence().ended == .success([]))
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `a single input is passed on`(ending: Source.Ending, moment: Source.Moment) {
        let all = Source.ending(ending, moment) { [$0].sequence() }
        #expect(all.ended == ending.passedOn(success: .success([1])))
    }

    @Test(arguments: Source.Ending.allCases, [0, 1, 2])
    func `an input that does not succeed ends it at once`(ending: Source.Ending, place: Int) {
        for moment in Source.Moment.allCases {
            let others = [Future<Int>(), Future<Int>()]
            let all = Source.ending(ending, moment) { input in
                var inputs = others
                inputs.insert(input, at: place)
                return inputs.sequence(context: DroppingContext())
            }
            #expect(all.ended == ending.passedOn(success: .pending))
            #expect(others.map { $0.observerCount } == (ending == .success ? [1, 1] : [0, 0]))
        }
    }

    @Test func `the first failure in time wins, whatever its position`() {
        let inputs = (0..<4).map { _ in Future<Int>() }
        let all = inputs.sequence()
        inputs[3].failure(Oops.other)
        inputs[0].failure(Oops.source)
        #expect(all.ended == .failure(Oops.other))
    }

    @Test func `inside a callback the first failure in time wins too`() {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let all = inputs.sequence()
        inputs[2].onFailure(context: immediate) { _ in }
        Future(value: ()).onSuccess(context: immediate) {
            inputs[2].failure(Oops.other)
            inputs[1].success(1)
            inputs[0].failure(Oops.source)
            #expect(all.ended == .pending)
        }
        #expect(all.ended == .failure(Oops.other))
    }

    @Test func `inputs completed inside a callback complete it when the callback returns`() {
        let inputs = (0..<3).map { _ in Future<Int>() }
        let all = inputs.sequence()
        let seen = Box<[Int]>([])
        all.onSuccess(context: immediate) { seen.value = $0 }
        Future(value: ()).onSuccess(context: immediate) {
            for (index, input) in inputs.enumerated() { input.success(index) }
            #expect(seen.value.isEmpty)
        }
        #expect(seen.value == [0, 1, 2])
    }

    @Test func `an input with other waiters drops registrations of failed sequences`() {
        let input = Future<Int>()
        let seen = Box(0)
        let losers = (0..<100).map { _ in
            let loser = Future<Int>()
            _ = [input, loser].sequence()
            loser.failure(Oops.source)
            input.onSuccess(context: immediate) { _ in seen.increment() }
            return loser
        }
        #expect(input.observerCount == losers.count)
        input.success(1)
        #expect(seen.value == losers.count)
    }

    @Test func `among inputs that have already failed the first in order wins`() {
        let inputs = [Future(value: 1), Future<Int>(error: Oops.source), Future<Int>(error: Oops.other)]
        #expect(inputs.sequence().ended == .failure(Oops.source))
    }

    @Test func `pending inputs release the waiters of the result`() {
        let inputs = (0..<4).map { _ in Future<Int>() }
        let watch = Watch { probe in
            inputs.sequence().onComplete(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        inputs[2].failure(Oops.source)
        #expect(watch.isReleased)
        #expect(inputs.allSatisfy { $0.observerCount == 0 })
    }

    @Test func `arrived values are released when it fails`() {
        let inputs = [Future<Probe>(), Future<Probe>()]
        var all: Future<[Probe]>?
        all = inputs.sequence()
        var first: Future<Probe>? = Future()
        let watch = Watch { probe in
            all = [first ?? Future(), inputs[0]].sequence()
            first?.success(probe)
        }
        first = nil
        #expect(!watch.isReleased)
        inputs[0].failure(Oops.source)
        #expect(watch.isReleased)
        #expect(all?.completed == true)
    }

    @Test func `releasing an input breaks it`() {
        var inputs: [Future<Int>] = [Future(), Future()]
        let all = inputs.sequence()
        inputs.removeLast()
        #expect(all.ended == .broken)
        #expect(inputs[0].observerCount == 0)
    }

    @Test func `a broken promise among the inputs breaks it`() {
        var promises: [Promise<Int>] = [Promise(), Promise()]
        let all = promises.map { $0.future }.sequence()
        promises.removeFirst()
        #expect(all.ended == .broken)
    }

    @Test func `one future can occur more than once`() {
        let input = Future<Int>()
        let all = [input, input, input].sequence()
        input.success(1)
        #expect(all.ended == .success([1, 1, 1]))
    }

    @Test func `any sequence of futures works`() {
        #expect((1...3).lazy.map { Future(value: $0) }.sequence().ended == .success([1, 2, 3]))
        #expect(AnySequence([Future(value: 1)]).sequence().ended == .success([1]))
    }

    @Test func `inputs completed on several threads are all counted`() async {
        for _ in 0..<100 {
            let inputs = (0..<4).map { _ in Future<Int>() }
            let all = inputs.sequence()
            await together(
                { inputs[0].success(0) }, { inputs[1].success(1) }, { inputs[2].success(2) }, { inputs[3].success(3) })
            #expect(all.ended == .success([0, 1, 2, 3]))
        }
    }
}
