import Dispatch
import Testing

/// Something that is done n times, and must take a time in proportion to n.
///
/// Costs are compared, not timed against a clock on the wall: four times the work may take up to ten times as long,
/// where quadratic work would take sixteen times. The best of several tries counts, as the machine may be busy.
protocol LinearWork: Sendable {
    /// How often it is done, without stress.
    var size: Int { get }

    func run(_ count: Int)
}

extension LinearWork {
    /// Expects four times as much to take about four times as long.
    ///
    /// - Parameter growth: How much more is done under stress.
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

    private func seconds(_ count: Int) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        run(count)
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }
}
