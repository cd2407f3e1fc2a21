import Scenarios

/// How long ours takes and the peer's, by taking turns.
///
/// A machine has moods, longer than a turn and shorter than a run. In turns of two milliseconds both meet the same
/// mood, so the ratio of a round holds where neither time does. What other processes do to a turn can only make it
/// longer: so the calmer half of the rounds counts, and of those the median.
struct TimeRatio {
    /// Medians, in nanoseconds an operation.
    let ours: Double
    let peer: Double

    /// The median of the rounds' ratios, which need not be the ratio of the medians.
    let ratio: Double

    /// Between which half of the rounds' ratios lie.
    let quartiles: ClosedRange<Double>

    /// How long the rounds of one comparison may take where a turn cannot be short; seven are made at least.
    private static let budget = Duration.seconds(6)

    init(_ comparison: Comparison, rounds: Int) async throws {
        let countOfOurs = try await Self.countForOneTurn(of: comparison.ours)
        let countOfPeer = try await Self.countForOneTurn(of: comparison.peer)
        let end = ContinuousClock.now + Self.budget
        var all: [Round] = []
        while all.count < 7 || (all.count < rounds && ContinuousClock.now < end) {
            let ours = try await comparison.ours.run(countOfOurs)
            let peer = try await comparison.peer.run(countOfPeer)
            all.append(Round(ours: ours, peer: peer))
        }
        let calm = Round.calmerHalf(of: all)
        ours = calm.map(\.ours).quantile(0.5)
        peer = calm.map(\.peer).quantile(0.5)
        let ratios = calm.map(\.ratio)
        ratio = ratios.quantile(0.5)
        quartiles = ratios.quantile(0.25)...ratios.quantile(0.75)
    }

    /// How many operations take about two milliseconds, caches and lazy statics warmed up on the way.
    ///
    /// The fastest of three runs tells: a run that is disturbed would make the turns too short to be measured.
    private static func countForOneTurn(of scenario: Scenario) async throws -> Int {
        var count = 100
        while true {
            count = max(count, scenario.batch)
            var fastest = Double.infinity
            for _ in 0..<3 { fastest = min(fastest, try await scenario.run(count)) }
            if fastest * Double(count) > 1_000_000 { return Int(2_000_000 / fastest) + 1 }
            count *= 2
        }
    }
}

/// One turn of each.
private struct Round {
    let ours: Double
    let peer: Double

    var ratio: Double { ours / peer }

    /// The rounds that were disturbed least, judged by both turns alike, so that the choice favours neither.
    static func calmerHalf(of rounds: [Round]) -> ArraySlice<Round> {
        let ours = rounds.map(\.ours).quantile(0)
        let peer = rounds.map(\.peer).quantile(0)
        return rounds.sorted { $0.ours / ours + $0.peer / peer < $1.ours / ours + $1.peer / peer }
            .prefix((rounds.count + 1) / 2)
    }
}

extension Sequence<Double> {
    /// The value that a part of the others does not exceed.
    fileprivate func quantile(_ part: Double) -> Double {
        let sorted = sorted()
        return sorted[Int(part * Double(sorted.count - 1))]
    }
}
