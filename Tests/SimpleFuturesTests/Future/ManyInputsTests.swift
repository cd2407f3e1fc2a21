import SimpleFutures
import Testing
@testable import TestSupport

/// Every combinator of several inputs, for every way in which the inputs can end.
@Suite("Many inputs", .watchdog)
struct ManyInputsTests {
    @Test(arguments: ManyInputs.allCases)
    func `all succeed`(_ combinator: ManyInputs) {
        let inputs = (0..<3).map { _ in Future<Int>() }
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

    @Test(arguments: ManyInputs.allCases)
    func `no inputs`(_ combinator: ManyInputs) {
        #expect(combinator.apply([]).ended == combinator.outcomeOfNone)
    }

    @Test(arguments: ManyInputs.allCases, Source.Ending.allCases)
    func `a single input`(_ combinator: ManyInputs, ending: Source.Ending) {
        guard combinator != .zip else { return }
        for moment in Source.Moment.allCases {
            let result = Source.ending(ending, moment) { combinator.apply([$0]) }
            #expect(result.ended == combinator.outcome(ofOneAlone: ending))
        }
    }

    @Test(arguments: ManyInputs.allCases, Source.Ending.allCases)
    func `all end in the same way`(_ combinator: ManyInputs, ending: Source.Ending) {
        let sources = (0..<3).map { _ in Source() }
        let result = combinator.apply(sources.map { $0.future })
        for source in sources { source.end(ending) }
        let whole = combinator.outcome(ofOneAlone: ending)
        switch whole {
        case .success(let one) where !combinator.isRace: #expect(result.ended == .success(one + one + one))
        default: #expect(result.ended == whole)
        }
    }

    @Test(arguments: ManyInputs.allCases, [Source.Ending.success, .failure])
    func `very many, the last completed first`(_ combinator: ManyInputs, ending: Source.Ending) {
        guard combinator != .zip else { return }
        let count = combinator == .sequence ? 100_000 : Stress.size(10_000, full: 100_000)
        let result = onSmallStack {
            let inputs = (0..<count).map { _ in Future<Int>() }
            let result = combinator.apply(inputs)
            for input in inputs.reversed() {
                if ending == .success { input.success(1) } else { input.failure(Oops.source) }
            }
            return result.ended
        }
        let one = combinator.outcome(ofOneAlone: ending)
        switch one {
        case .success(let value) where !combinator.isRace:
            #expect(result == .success(Array(repeating: ending == .success ? 1 : value[0], count: count)))
        default: #expect(result == one)
        }
    }

    @Test(arguments: ManyInputs.allCases)
    func `unused inputs release everything at once`(_ combinator: ManyInputs) {
        let inputs = (0..<3).map { _ in Future<Int>() }
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
    func `inputs without other references break`(_ combinator: ManyInputs) {
        var promises = (0..<3).map { _ in Promise<Int>() }
        let result = combinator.apply(promises.map { $0.future })
        promises.removeAll()
        #expect(result.ended == combinator.outcome(ofOneAlone: .breach, count: 3))
    }

    @Test(arguments: ManyInputs.allCases)
    func `inputs that succeed on four threads are all counted`(_ combinator: ManyInputs) async {
        for _ in 0..<100 {
            let inputs = (0..<4).map { _ in Future<Int>() }
            let result = combinator == .zip ? ManyInputs.sequence.apply(inputs) : combinator.apply(inputs)
            await together(
                { inputs[0].success(5) }, { inputs[1].success(5) }, { inputs[2].success(5) }, { inputs[3].success(5) })
            #expect(result.ended == .success(combinator.isRace ? [5] : [5, 5, 5, 5]))
        }
    }
}
