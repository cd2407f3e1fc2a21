import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// The blocks of README.md, Migration.md and the documentation's pages: that this target was built says that they
/// compile.
@Suite(.watchdog)
struct `The documentation` {
    @Test
    func `has examples that claim an output`() {
        #expect(examples.count >= 15)
    }

    @Test(arguments: examples)
    func `prints what it claims, in the order of its lines`(_ example: Example) async throws {
        let output = Output(claimed: example.claims)
        try await example.run(output)
        // What is missing is not awaited for ever: to compare says what it is.
        _ = await output.isComplete.timeout(.seconds(Watchdog.patience > 0 ? Watchdog.patience / 10 : 3600)).outcome
        // What the main queue is still to print comes before this.
        await MainActor.run {}
        #expect(output.printed == example.claims)
    }
}
