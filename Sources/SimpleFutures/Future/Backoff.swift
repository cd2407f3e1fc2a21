/// How long `retry` waits after a failed attempt.
///
///     // 0.1 s, 0.2 s, 0.4 s … but never more than 10 s, each by up to a half shorter
///     .exponential(.milliseconds(100), limit: .seconds(10)).jitter(0.5...1)
///
///     // as long as the server asks for
///     Backoff { attempt, error in (error as? Busy)?.retryAfter ?? .seconds(1) }
public struct Backoff: Sendable {
    /// How long to wait.
    ///
    /// Package hook for tests.
    package let delay: @Sendable (_ attempt: Int, _ error: any Error) -> Duration

    /// Creates a backoff from a function.
    ///
    /// - Parameter delay: How long to wait, given the number of the attempt that has failed, from 1 on, and its error.
    ///   Zero or less means not at all. It runs on the context of `retry`.
    public init(_ delay: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Duration) { self.delay = delay }

    /// The same time after each failure.
    ///
    /// - Parameter delay: How long to wait. Zero or less means not at all.
    public static func constant(_ delay: Duration) -> Backoff { Backoff { _, _ in delay } }

    /// A time that grows with each failure.
    ///
    /// - Parameters:
    ///   - first: How long to wait after the first failure.
    ///   - factor: By how much longer after each further one. It must be a number, and not negative.
    ///   - limit: The longest time.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public static func exponential(
        _ first: Duration, factor: Double = 2, limit: Duration = .seconds(60), fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Backoff {
        require(
            factor >= 0,
            "`Backoff.exponential` was given the factor \(factor). Pass a number that is not negative, such as 2.",
            fileID,
            line)
        return Backoff { attempt, _ in
            var (delay, rest) = (min(first, limit), attempt - 1)
            // It need not grow further than to the limit, so no number of attempts is too large.
            while rest > 0, delay > .zero, delay < limit, factor != 1 {
                delay = min(delay.scaled(by: factor), limit)
                rest -= 1
            }
            return delay
        }
    }

    /// The same, each time multiplied by a random number, so that many clients do not come back at the same moment.
    ///
    /// - Parameters:
    ///   - range: Where the number lies. It must not begin below 0, and must have an end.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func jitter(
        _ range: ClosedRange<Double> = 0...1, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Backoff {
        jitter(range, using: SystemRandomNumberGenerator(), fileID: fileID, line: line)
    }

    /// The same, each time multiplied by a number that a generator makes: for tests that must be repeatable.
    ///
    /// - Parameters:
    ///   - range: Where the number lies. It must not begin below 0, and must have an end.
    ///   - generator: Makes the numbers. All that is made of this backoff shares it.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func jitter(
        _ range: ClosedRange<Double> = 0...1, using generator: some RandomNumberGenerator & Sendable,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Backoff {
        require(
            range.lowerBound >= 0 && range.upperBound.isFinite,
            "`Backoff.jitter` was given the range \(range). Pass one that begins at 0 or more and has an end.", fileID,
            line)
        let generator = Lock(generator)
        return Backoff { [delay] attempt, error in
            delay(attempt, error).scaled(by: generator.withLock { Double.random(in: range, using: &$0) })
        }
    }
}

extension Duration {
    /// So many times as long; thirty million years at the most, since a duration has an end.
    fileprivate func scaled(by factor: Double) -> Duration {
        abs(self / .seconds(1) * factor) < 1e15 ? self * factor : .seconds(1_000_000_000_000_000)
    }
}
