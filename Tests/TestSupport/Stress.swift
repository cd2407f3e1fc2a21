import Foundation

/// How much work the tests do.
///
/// `SIMPLEFUTURES_STRESS=n` in the environment multiplies the rounds of every race by n, 1 being the default. Values
/// above 1 also run the tests of stack depth and cost at their full size. With 50, the two racing completers of
/// `ExactlyOnceTests` run 100,000 times.
enum Stress {
    static let factor = max(1, ProcessInfo.processInfo.environment["SIMPLEFUTURES_STRESS"].flatMap { Int($0) } ?? 1)

    static func rounds(_ few: Int = 500) -> Int { few * factor }

    /// The size of a test: small, or full under stress.
    ///
    /// The thread sanitizer looks for races, not for stack overflows, and takes twenty times as long: it gets an
    /// eighth.
    static func size(_ few: Int, full: Int) -> Int { factor > 1 ? full : isUnderThreadSanitizer ? few / 8 : few }

    private static let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil
}
