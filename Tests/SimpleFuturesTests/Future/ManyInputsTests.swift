import SimpleFutures
import Testing
@testable import TestSupport

/// Every combinator of several inputs, for every way in which the inputs can end.
@Suite("Many inputs", .watchdog)
struct ManyInputsTests {
    /// The combinators that a failed input ends.
    private static let failing = ManyInputs.allCases.filter { !$0.isRace && $0 != .settled }

    private let inputs = (0..<3).map { _ in Future<Int>() }

    @Test(arguments: ManyInputs.allCases)
    func `all succeed`(_ combinator: ManyInputs) {
        let result = combinator.apply(inputs)
        inputs[2].success(2)
        #expect(result.ended == (combinator.isRace ? .success([2]) : .pending))
        inputs[0].success(0)
        inputs[1].success(1)
        #expect(result.ended == .success(combinator.isRace ? [2] : [0, 1, 2]))
    }

    @Test(arguments: ManyInputs.allCases, Source.Moment.allCases)
    func `one does not succeed, before the others do`(_ combinator: ManyInputs, moment: Source.Moment) {
        for ending in [Source.Ending.failure, .cancellation, .breach] {
            for place in 0..<3 {
                let others = [Future<Int>(), Future<Int>()]
                let result = Source.ending(ending, moment) { loser in
                    var inputs = others
                    inputs.insert(loser, at: place)
                    return combinator.apply(inputs)
                }
                let expected = combinator.outcome(of: ending, at: place)
                #expect(result.ended == (expected.isAtOnce ? expected.outcome : .pending), "\(ending) at \(place)")
                #expect(others.map { $0.observerCount } == (expected.isAtOnce ? [0, 0] : [1, 1]))
                others[0].success(7)
                others[1].success(8)
                #expect(result.ended == expected.outcome, "\(ending) at \(place)")
            }
        }
    }

    @Test(arguments: failing)
    func `the first failure in time wins, and among inputs that have failed already the first in order`(
        _ combinator: ManyInputs
    ) {
        let result = combinator.apply(inputs)
        inputs[2].failure(Oops.other)
        inputs[0].failure(Oops.source)
        #expect(result.ended == .failure(Oops.other))
        let failed = [Future(value: 1), Future<Int>(error: Oops.source), Future<Int>(error: Oops.other)]
        #expect(combinator.apply(failed).ended == .failure(Oops.source))
    }

    @Test(arguments: ManyInputs.allCases)
    func `no inputs`(_ combinator: ManyInputs) {
        #expect(combinator.apply([]).ended == combinator.outcomeOfNone)
    }

    @Test(arguments: ManyInputs.allCases, Source.Ending.allCases)
    func `one input, or three that end in the same way`(_ combinator: ManyInputs, ending: Source.Ending) {
        for (moment, count) in Source.Moment.allCases.flatMap({ moment in [1, 3].map { (moment, $0) } }) {
            let sources = (0..<count).map { _ in Source() }
            if moment == .before { for source in sources { source.end(ending) } }
            let result = combinator.apply(sources.map { $0.future })
            if moment == .after { for source in sources { source.end(ending) } }
            let count = combinator.isRace ? 1 : count
            #expect(result.ended == combinator.outcome(ofOneAlone: ending, count: count))
        }
    }

    @Test(arguments: ManyInputs.allCases, [Source.Ending.success, .failure])
    func `very many, the last completed first`(_ combinator: ManyInputs, ending: Source.Ending) {
        guard combinator != .zip else { return }
        let count = Stress.size(3_000, full: 100_000)
        let result = onSmallStack {
            let inputs = (0..<count).map { _ in Future<Int>() }
            let result = combinator.apply(inputs)
            for input in inputs.reversed() {
                if ending == .success { input.success(1) } else { input.failure(Oops.source) }
            }
            return result.ended
        }
        #expect(result == combinator.outcome(ofOneAlone: ending, count: combinator.isRace ? 1 : count))
    }

    @Test(arguments: ManyInputs.allCases)
    func `unused inputs release everything at once`(_ combinator: ManyInputs) {
        let watch = Watch { probe in
            combinator.apply(inputs) { _ in probe.use() }.onComplete(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        if combinator.isRace {
            inputs[1].success(1)
        } else if combinator == .settled {
            for input in inputs { input.success(1) }
        } else {
            inputs[1].failure(Oops.source)
        }
        #expect(watch.isReleased)
        #expect(inputs.allSatisfy { $0.observerCount == 0 })
    }

    @Test(arguments: ManyInputs.allCases)
    func `inputs that succeed on four threads are all counted, in order`(_ combinator: ManyInputs) async {
        for _ in 0..<100 {
            let inputs = (0..<4).map { _ in Future<Int>() }
            let result = combinator == .zip ? ManyInputs.sequence.apply(inputs) : combinator.apply(inputs)
            await together(
                { inputs[0].success(0) }, { inputs[1].success(1) }, { inputs[2].success(2) }, { inputs[3].success(3) })
            let possible = combinator.isRace ? [[0], [1], [2], [3]] : [[0, 1, 2, 3]]
            #expect(possible.contains { result.ended == .success($0) }, "\(result)")
        }
    }

    // MARK: sequence

    @Test(arguments: [true, false])
    func `inside a callback inputs complete it when the callback returns, with the first failure in time`(fails: Bool) {
        let all = inputs.sequence()
        inputs[2].onFailure(context: immediate) { _ in }
        Future(value: ()).onSuccess(context: immediate) {
            if fails { inputs[2].failure(Oops.other) } else { inputs[2].success(2) }
            inputs[1].success(1)
            if fails { inputs[0].failure(Oops.source) } else { inputs[0].success(0) }
            #expect(all.ended == .pending)
        }
        #expect(all.ended == (fails ? .failure(Oops.other) : .success([0, 1, 2])))
    }

    @Test func `arrived values are released when it fails`() {
        let last = Future<Probe>()
        var first: Future<Probe>? = Future()
        let all = [first ?? Future(), last].sequence()
        let watch = Watch { first?.success($0) }
        first = nil
        #expect(!watch.isReleased)
        last.failure(Oops.source)
        #expect(watch.isReleased)
        #expect(all.completed)
    }

    @Test func `any sequence of futures works`() {
        #expect((1...3).lazy.map { Future(value: $0) }.sequence().ended == .success([1, 2, 3]))
        #expect(AnySequence([Future(value: 1)]).sequence().ended == .success([1]))
    }
}
