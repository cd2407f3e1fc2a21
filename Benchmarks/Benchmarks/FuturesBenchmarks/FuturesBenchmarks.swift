import Benchmark
import Scenarios

/// Every scenario as a benchmark, per thousand operations, so that the start of a measurement is negligible.
let benchmarks: @Sendable () -> Void = {
    for scenario in Scenario.all {
        Benchmark(
            scenario.name,
            configuration: .init(
                metrics: [.wallClock, .throughput],
                warmupIterations: 3,
                scalingFactor: .kilo,
                maxDuration: .seconds(2)
            )
        ) { benchmark in
            try await scenario.run(benchmark.scaledIterations.count)
        }
    }
}
