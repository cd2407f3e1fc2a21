@testable import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future: retry with a backoff", .watchdog)
struct BackoffTests {
    /// The times of attempts that all fail, in milliseconds.
    private func times(_ attempts: Int, _ backoff: Backoff) -> [Double] {
        let (clock, times) = (ManualContext(), Log<Double>())
        let result = Future<Int>.retry(attempts, backoff: backoff, context: clock) {
            times.add(clock.now / .milliseconds(1))
            throw Oops.thrown
        }
        for _ in 0..<100 {
            clock.run()
            clock.advance(by: .milliseconds(50))
        }
        #expect(result.ended == .failure(Oops.thrown))
        return times.all
    }

    @Test func `the delay after a failure is constant, grows up to a limit, or is what a function returns`() {
        let hundred = Duration.milliseconds(100)
        #expect(times(4, .constant(hundred)) == [0, 100, 200, 300])
        #expect(times(6, .exponential(hundred, limit: .milliseconds(500))) == [0, 100, 300, 700, 1_200, 1_700])
        let seen = Log<String>()
        let backoff = Backoff { attempt, error in
            seen.add("\(attempt) \(error)")
            return hundred * attempt
        }
        #expect(times(3, backoff) == [0, 100, 300])
        #expect(seen.all == ["1 thrown", "2 thrown"])
    }

    /// A backoff, a number of attempts, and the delay after them.
    private static let extremes: [(Backoff, Int, Duration)] = [
        (.exponential(.seconds(1)), .max, .seconds(60)),
        (.exponential(.seconds(90)), 1, .seconds(60)),
        (.exponential(.zero), .max, .zero),
        (.exponential(.seconds(1), factor: .infinity), 2, .seconds(60)),
        (.exponential(.seconds(1), factor: 1e300), 9, .seconds(60)),
        (Backoff.constant(.seconds(1)).jitter(1e300...1e300), 1, .seconds(1_000_000_000_000_000)),
    ]

    @Test(arguments: extremes)
    func `any number of attempts, and any delay or factor, stays within the limit`(
        _ backoff: Backoff, _ attempts: Int, _ delay: Duration
    ) {
        #expect(backoff.delay(attempts, Oops.other) == delay)
    }

    @Test func `jitter stays in its range, and is repeatable with a generator`() {
        struct Ascending: RandomNumberGenerator, Sendable {
            var state: UInt64 = 1
            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state
            }
        }
        let backoff = Backoff.constant(.seconds(1))
        let delays = (1...100).map { backoff.jitter(0.5...1).delay($0, Oops.other) }
        #expect(delays.allSatisfy { (.milliseconds(500) ... .seconds(1)).contains($0) })
        let (first, second) = (backoff.jitter(using: Ascending()), backoff.jitter(using: Ascending()))
        let firstDelays = (1...10).map { first.delay($0, Oops.other) }
        #expect(firstDelays == (1...10).map { second.delay($0, Oops.other) })
        #expect(Set((1...10).map { first.delay($0, Oops.other) }).count == 10)
    }

    @Test func `a negative delay means none, also with jitter`() {
        for delay in [Duration.seconds(-1), .seconds(Int64.min)] {
            #expect(Backoff.constant(delay).jitter(1e300...1e300).delay(1, Oops.other) <= .zero)
            #expect(Backoff.constant(delay).jitter(1...1).delay(1, Oops.other) <= .zero)
        }
    }
}
