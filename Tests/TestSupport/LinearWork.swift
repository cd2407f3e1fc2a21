import Foundation
import Testing

/// Work that is done n times and must take time proportional to n.
///
/// Costs are compared with each other, not with fixed times: four times the work may take up to ten times as long;
/// quadratic work would take sixteen times as long. The best of several tries counts, because the machine may be busy.
protocol LinearWork: Sendable {
    /// How often the work is done, without stress.
    var size: Int { get }
    /// Whether other threads do a part of it.
    var usesOtherThreads: Bool { get }

    func run(_ count: Int)
}

extension LinearWork {
    var usesOtherThreads: Bool { false }

    /// Expects four times the work to take about four times as long.
    ///
    /// - Parameter growth: The factor for the amount of work under stress.
    func expectLinearCost(underStress growth: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let small = Stress.size(size, full: growth * size)
        var ratios: [Double] = []
        for _ in 0..<8 {
            let once = seconds(small)
            ratios.append(seconds(4 * small) / once)
            if ratios.contains(where: { $0 < 10 }) { break }
        }
        #expect(ratios.contains { $0 < 10 }, "\(ratios)", sourceLocation: sourceLocation)
    }

    /// The processor time of this thread, if it does all the work: on a busy machine it has to leave the processor
    /// during the longer run, and seldom during the shorter one.
    private func seconds(_ count: Int) -> Double {
        let clock = usesOtherThreads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID
        let start = seconds(on: clock)
        run(count)
        return seconds(on: clock) - start
    }

    private func seconds(on clock: clockid_t) -> Double {
        var time = timespec()
        precondition(clock_gettime(clock, &time) == 0)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
