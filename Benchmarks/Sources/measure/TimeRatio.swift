import Scenarios

/// The times of SimpleFutures and the peer, measured alternately.
///
/// The speed of a machine changes over periods longer than a turn and shorter than a run. In turns of two milliseconds
/// both run at the same speed, so the ratio of a round is reliable where the times are not. Other processes can only
/// make a turn longer: so only the calmer half of the rounds counts, and of those the median.
struct TimeRatio {
    /// The medians, in nanoseconds per operation.
    let ours: Double
    let peer: Double

    /// The median of the rounds' ratios, which can differ from the ratio of the medians.
    let ratio: Double

    /// The quartiles of the rounds' ratios.
    let quartiles: ClosedRange<Double>

    /// The longest time for the rounds of one comparison if a turn cannot be short; there are at least seven rounds.
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

    /// Returns the number of operations that take about two milliseconds, after warming up caches and lazy statics.
    ///
    /// It uses the fastest of three runs: a disturbed run would make the turns too short to be measured.
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

/// One turn of each implementation.
private struct Round {
    let ours: Double
    let peer: Double

    var ratio: Double { ours / peer }

    /// The least disturbed rounds, judged by both turns alike, so that the choice does not favor either.
    static func calmerHalf(of rounds: [Round]) -> ArraySlice<Round> {
        let ours = rounds.map(\.ours).quantile(0)
        let peer = rounds.map(\.peer).quantile(0)
        return rounds.sorted { $0.ours / ours + $0.peer / peer < $1.ours / ours + $1.peer / peer }
            .prefix((rounds.count + 1) / 2)
    }
}

extension Sequence<Double> {
    /// Returns the value below which the given part of the values lies.
    fileprivate func quantile(_ part: Double) -> Double {
        let sorted = sorted()
        return sorted[Int(part * Double(sorted.count - 1))]
    }
}
