import SimpleFutures
import Testing
@testable import TestSupport

private func count(of text: String) -> Future<Int> { Future(value: text.count) }

/// Typical user code.
///
/// Half of the test is that it compiles, and quickly.
@Suite("Chains", .watchdog)
struct ChainTests {
    @Test func `twenty links of single expressions need no annotation`() {
        let time = ManualContext()
        let result = Future(value: 1)
            .map(context: immediate) { $0 + 1 }
            .withFilter(context: immediate) { $0 > 0 }
            .map(context: immediate) { "\($0)" }
            .andThen(context: immediate) { _ in }
            .flatMap(context: immediate) { count(of: $0) }
            .recover(context: immediate) { _ in 0 }
            .filter(context: immediate) { $0 < 9 }
            .recoverWith(context: immediate) { Future(error: $0) }
            .mapError(context: immediate) { _ in Oops.other }
            .flatMap(context: immediate) { Future(value: $0) }
            .map(context: immediate) { [$0, $0 * 2] }
            .map(context: immediate) { $0.count }
            .timeout(.seconds(1), context: time)
            .flatMap(context: immediate) { (0..<$0).traverse { Future(value: $0) } }
            .map(context: immediate) { $0.reduce(0, +) }
            .zip(Future(value: 2))
            .map(context: immediate) { $0 + $1 }
            .delay(.seconds(1), context: time)
            .map(context: immediate) { $0.isMultiple(of: 2) }
            .flatMap(context: immediate) { $0 ? Future(value: 1) : Future(error: Oops.other) }
        #expect(result.ended == .pending)
        time.advance(by: .seconds(1))
        #expect(result.ended == .failure(Oops.other))
        #expect(time.pendingCount == 0)
    }
}
