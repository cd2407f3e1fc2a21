import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: marble diagrams of the derived streams", .watchdog)
struct MarbleTests {
    @Test(arguments: transforming + slicing + flattening + combining + pacing)
    func `a derived stream emits what its diagram shows`(_ marbles: Marbles) { marbles.check() }
}

private let transforming: [Marbles] = [
    .init("map: failures pass in their place", "a ! b |", gives: "A ! B |") { sources in
        sources.first.map(context: immediate) { $0.uppercased() }
    },
    .init("compactMap leaves out nil", "a ! b c |", gives: "A ! - !thrown |") { sources in
        sources.first.compactMap(context: immediate) { $0 == "b" ? nil : try thrown(for: "c", $0).uppercased() }
    },
    .init("filter leaves out values", "a ! b c |", gives: "- ! b !thrown |") { sources in
        sources.first.filter(context: immediate) { try thrown(for: "c", $0) == "b" }
    },
    .init("withFilter turns them into failures", "a ! b c |", gives: "!noSuchElement ! b !thrown |") { sources in
        sources.first.withFilter(context: immediate) { try thrown(for: "c", $0) == "b" }
    },
    .init("scan continues from its last result, also after a failure", "a ! b c |", gives: "0a ! !thrown 0ac |", scan),
    .init("each scan has its own result", "a ! b c |", gives: "0a0a ! !thrown 0ac0ac |") {
        scan($0).zip(scan($0)).joined
    },
    .init("recover replaces a failure by a value", "a ! !other b |", gives: "a 7 !thrown b |", recover(immediate)),
    .init("recover on a context keeps the order", "a,!,b,! | -", gives: "- a,7,b,7 |") { recover($0.clock)($0) },
    .init("mapError replaces the error of each failure", "! a !other |", gives: "!thrown a !other |") { sources in
        sources.first.mapError(context: immediate) { $0 as? Oops == .source ? Oops.thrown : $0 }
    },
]

private let slicing: [Marbles] = [
    .init("take finishes with its last element", "a ! b c", gives: "a ! b,| -") { $0.first.take(3) },
    .init("drop leaves out failures too", "! a b !other |", gives: "- - b !other |") { $0.first.drop(2) },
    .init("drop of none", "! a |", gives: "! a |") { $0.first.drop(0) },
    .init("drop of more than there are", "! a |", gives: "- - |") { $0.first.drop(9) },
    .init("distinct", "1 1 2 2 2 1 3 3 ! 3 4 |", gives: "1 - 2 - - 1 3 - ! - 4 |") { sources in
        sources.first.distinct(context: immediate)
    },
    .init("distinct compares with the last emitted element", "1 2 3 4 5 6 13 5 8", gives: "1 - - 4 - - !thrown - 8") {
        sources in
        sources.first.distinct(context: immediate) { abs(Int($0)! - Int(try thrown(for: "13", $1))!) < 3 }
    },
]

/// In these, a value is the number of the next inner stream.
private let flattening: [Marbles] = [
    .init(
        "flatMapLatest: a value unsubscribes from the stream of the previous value",
        "1 - - 2 -    - 1 - | - -",
        "- a b - lost - - e - f |",
        "- - - - c    | - - - - -",
        gives: "- a b - c - - e - f |", latest),
    .init(
        "flatMapLatest: failures of both are passed on and do not unsubscribe",
        "1 ! -      - 3 -    2 -",
        "- - !other a - lost - -",
        "- - -      - - -    - b",
        gives: "- ! !other a !thrown - - b", latest),
    .init(
        "flatMapLatest: a canceled stream of an earlier value does not make the end a cancellation",
        "1 2 - - |",
        "- - x - -",
        "- - - | -",
        gives: "- - - - |", latest),
    // The pages for RxSwift, Combine and ReactiveSwift say this.
    .init("flatMapLatest skips values that arrive before its closure runs", "1,2,3 -", gives: "- 3") { sources in
        sources.first.flatMapLatest(context: sources.clock) { Future(value: $0) }
    },
    .init("an immediate flatMapLatest doesn't", "1,2,3 -", gives: "1,2,3 -") { sources in
        sources.first.flatMapLatest(context: immediate) { Future(value: $0) }
    },
]

private let combining: [Marbles] = [
    // The marble diagrams of the documentation.
    .init(
        "combineLatest: each value of either makes a pair",
        "1 -  2  -  -  | -  -",
        "- a  -  b  c  - d  |",
        gives: "- 1a 2a 2b 2c - 2d |"
    ) { SimpleFutures.combineLatest($0.first, $0.second).joined },
    .init(
        "withLatest: each value of the first makes a pair",
        "1 - 2  - 3  - 4  |",
        "- a -  b -  | -  -",
        gives: "- - 2a - 3b - 4b |", withLatest),
    .init(
        "combineLatest of three",
        "1 - -   -   2",
        "- - a   -   -",
        "- p -   q   -",
        gives: "- - 1ap 1aq 2aq"
    ) { sources in
        SimpleFutures.combineLatest(sources.first, sources.second, sources.third)
            .map(context: immediate) { $0 + $1 + $2 }
    },
    .init("combineLatest passes failures on", "1 ! - - 2", "- - a !other -", gives: "- ! 1a !other 2a", combineLatest),
    .init("withLatest passes failures on", "1 ! - - 2", "- - a !other -", gives: "- ! - !other 2a", withLatest),
    .init("combineLatest with a first that ends without a value", "- |", "a -", gives: "- |", combineLatest),
    .init("combineLatest with a second that ends without a value", "a -", "- |", gives: "- |", combineLatest),
    .init("combineLatest with a canceled first", "1 - x - -", "- a - b |", gives: "- 1a - 1b x", combineLatest),
    .init("combineLatest: one is canceled, the second ends empty", "1 x -", "- - |", gives: "- - x", combineLatest),
    .init("combineLatest: one is canceled, the first ends empty", "- - |", "1 x -", gives: "- - x", combineLatest),
    .init("withLatest with a canceled first", "1 - x", "- a -", gives: "- - x", withLatest),
    .init("withLatest finishes though the second is canceled", "- - 1 |", "a x - -", gives: "- - 1a |", withLatest),
    // The pages for RxSwift, Combine and ReactiveSwift say this.
    .init("withLatest: a closure that runs later holds up its branch", "a b", "- 1", gives: "- 1A") { sources in
        sources.second.withLatest(from: sources.first.map(context: sources.clock) { $0.uppercased() }).joined
    },
    .init("withLatest: an immediate closure doesn't", "a b", "- 1", gives: "- 1B") { sources in
        sources.second.withLatest(from: sources.first.map(context: immediate) { $0.uppercased() }).joined
    },
    .init(
        "zip: a failure makes the pair a failure; of two failures, the first stream's counts",
        "1 -      ! - ! -      3 -",
        "- !other - 2 - !other - 4",
        gives: "- !other - ! - ! - 34", zip),
    .init("zip ends when the first has, after its pairs", "1,2 | - -", "- - 3 4", gives: "- - 13 24,|", zip),
    .init("zip ends when the second has, after its pairs", "- - 3 4", "1,2 | - -", gives: "- - 31 42,|", zip),
    .init("zip is canceled with the first, after its pairs", "1,2 x - -", "- - 3 4", gives: "- - 13 24,x", zip),
    .init("zip is canceled with the second, after its pairs", "- - 3 4", "1,2 x - -", gives: "- - 31 42,x", zip),
    .init("zip with a stream that ends without elements", "- |", "1 -", gives: "- |", zip),
    .init(
        "zip of three",
        "1 - 2 - 3 -",
        "a b - c - |",
        "- p - ! - -",
        gives: "- 1ap - ! - -"
    ) { sources in
        SimpleFutures.zip(sources.first, sources.second, sources.third).map(context: immediate) { $0 + $1 + $2 }
    },
    .init("zip of three ends when the first two have, after their elements", "1 |", "a -", "- p", gives: "- 1ap,|") {
        SimpleFutures.zip($0.first, $0.second, $0.third).map(context: immediate) { $0 + $1 + $2 }
    },
    .init("zip of a stream with itself", "1 ! 2 |", gives: "11 ! 22 |") { $0.first.zip($0.first).joined },
    .init("merge", "0 1 - -", "- - - !", "- - 2 -", gives: "0 1 2 !") { sources in
        SimpleFutures.merge(sources.first, sources.second, sources.third)
    },
    .init("merge of one stream", "1 2 |", gives: "1 2 |") { SimpleFutures.merge($0.first) },
    .init("merge of a stream with itself", "1 2 |", gives: "1,1 2,2 |") { $0.first.merge($0.first) },
]

private let pacing: [Marbles] = [
    .init(
        "debounce emits values that are followed by a pause",
        "1 - 2 - - - - a,b,c - - - |",
        gives: "- - - - - 2 - - - - c |", debounce),
    .init("debounce emits a failure at once, after the waiting value", "1 !", gives: "- 1,!", debounce),
    .init("debounce goes on after a failure", "! 1 - - -", gives: "! - - - 1", debounce),
    .init("debounce finishes at once, after the waiting value", "1,2 |", gives: "- 2,|", debounce),
    .init(
        "throttle emits the first value at once, and the latest at the end of the interval",
        "1 2 3 - 4 - - - - 5 - - -",
        gives: "1 - - 3 - - 4 - - 5 - - -"
    ) { $0.first.throttle(interval, context: $0.clock) },
    .init("throttle does not delay failures and the finish", "1,2,!,3 |", gives: "1,2,! 3,|") { sources in
        sources.first.throttle(interval, context: sources.clock)
    },
    .init("throttle without the latest leaves out early values", "1,2,3 - - - 4,5 |", gives: "1 - - - 4 |") { sources in
        sources.first.throttle(interval, latest: false, context: sources.clock)
    },
    .init(
        "a stream whose next element takes too long fails and finishes",
        "- 1 - ! - - - 2",
        gives: "- 1 - ! - - !timedOut,| -"
    ) { $0.first.timeout(interval, context: $0.clock) },
]

private let interval = Duration.milliseconds(300)

private func thrown(for bad: String, _ value: String) throws -> String {
    if value == bad { throw Oops.thrown }
    return value
}

@Sendable private func scan(_ sources: Marbles.Sources) -> FutureStream<String> {
    sources.first.scan("0", context: immediate) { try $0 + thrown(for: "b", $1) }
}

private func recover(_ context: any ExecutionContext) -> @Sendable (Marbles.Sources) -> FutureStream<String> {
    { sources in
        sources.first.recover(context: context) { error in
            if error as? Oops == .other { throw Oops.thrown }
            return "7"
        }
    }
}

@Sendable private func latest(_ sources: Marbles.Sources) -> FutureStream<String> {
    sources.first.flatMapLatest(context: immediate) {
        [sources.second, sources.third][Int(try thrown(for: "3", $0))! - 1]
    }
}

@Sendable private func combineLatest(_ sources: Marbles.Sources) -> FutureStream<String> {
    sources.first.combineLatest(sources.second).joined
}

@Sendable private func withLatest(_ sources: Marbles.Sources) -> FutureStream<String> {
    sources.first.withLatest(from: sources.second).joined
}

@Sendable private func zip(_ sources: Marbles.Sources) -> FutureStream<String> {
    sources.first.zip(sources.second).joined
}

@Sendable private func debounce(_ sources: Marbles.Sources) -> FutureStream<String> {
    sources.first.debounce(interval, context: sources.clock)
}
