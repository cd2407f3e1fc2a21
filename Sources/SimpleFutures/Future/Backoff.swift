/// Decides how long `retry` waits after a failed attempt.
///
///     // 0.1 s, 0.2 s, 0.4 s … but never more than 10 s, each by up to a half shorter
///     let growing = Backoff.exponential(.milliseconds(100), limit: .seconds(10)).jitter(0.5...1)
///
///     // as long as the server asks for
///     let asked = Backoff { attempt, error in (error as? Busy)?.retryAfter ?? .seconds(1) }
public struct Backoff: Sendable {
    /// Returns the delay.
    ///
    /// Package hook.
    package let delay: @Sendable (_ attempt: Int, _ error: any Error) -> Duration

    /// Creates a backoff from a function.
    ///
    /// - Parameter delay: Returns how long to wait, given the number of the failed attempt, from 1 on, and its error.
    ///   Zero or less means not at all. It runs on the context of `retry`, or, with an async closure, in its task.
    public init(_ delay: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Duration) { self.delay = delay }

    /// Waits for the same time after each failure.
    ///
    /// - Parameter delay: How long to wait. Zero or less means not at all.
    public static func constant(_ delay: Duration) -> Backoff { Backoff { _, _ in delay } }

    /// Waits longer after each failure.
    ///
    /// - Parameters:
    ///   - first: How long to wait after the first failure.
    ///   - factor: The delay after each further failure is this many times longer. It must be a number, and not
    ///     negative.
    ///   - limit: The longest delay.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
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
            // By squaring, so that each of very many attempts needs few steps.
            var (delay, power, rest) = (min(first, limit), factor, max(0, attempt - 1))
            while rest > 0 {
                if !rest.isMultiple(of: 2) { delay = min(delay.scaled(by: power), limit) }
                power *= power
                rest /= 2
            }
            return delay
        }
    }

    /// Multiplies each delay by a random number, so that many clients do not retry at the same moment.
    ///
    /// - Parameters:
    ///   - range: The range of the random numbers. It must not begin below 0, and must have an end.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func jitter(
        _ range: ClosedRange<Double> = 0...1, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Backoff {
        jitter(range, using: SystemRandomNumberGenerator(), fileID: fileID, line: line)
    }

    /// Multiplies each delay by a number from a given generator, for repeatable tests.
    ///
    /// - Parameters:
    ///   - range: The range of the random numbers. It must not begin below 0, and must have an end.
    ///   - generator: The source of random numbers. All copies of the new backoff share it. It is called under a lock, so
    ///     it must not use the same backoff.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
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
    /// Multiplies the duration, unless it is negative.
    ///
    /// The result is at most thirty million years, because a duration cannot be infinite.
    fileprivate func scaled(by factor: Double) -> Duration {
        guard self > .zero else { return self }
        return self / .seconds(1) * factor < 1e15 ? self * factor : .seconds(1_000_000_000_000_000 as Int64)
    }
}
