import Dispatch
import Testing

/// Work that is done n times and must take time proportional to n.
///
/// Costs are compared with each other, not with fixed times: four times the work may take up to ten times as long;
/// quadratic work would take sixteen times as long. The best of several tries counts, because the machine may be busy.
protocol LinearWork: Sendable {
    /// How often the work is done, without stress.
    var size: Int { get }

    func run(_ count: Int)
}

extension LinearWork {
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

    private func seconds(_ count: Int) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        run(count)
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }
}
