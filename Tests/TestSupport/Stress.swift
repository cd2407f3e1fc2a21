import Foundation

/// How hard the tests try.
///
/// `SIMPLEFUTURES_STRESS=n` in the environment multiplies the rounds of every race by n, 1 being the default; anything
/// above 1 also lets the tests of stack and cost run at their full size. 50 gives the two racing completers of
/// `ExactlyOnceTests` their 100,000 races.
enum Stress {
    static let factor = max(1, ProcessInfo.processInfo.environment["SIMPLEFUTURES_STRESS"].flatMap { Int($0) } ?? 1)

    static func rounds(_ few: Int = 500) -> Int { few * factor }

    /// How many of something there are: few, or with stress all.
    ///
    /// The thread sanitizer looks for races, not for the end of a stack, and takes twenty times as long: it gets an
    /// eighth.
    static func size(_ few: Int, full: Int) -> Int { factor > 1 ? full : isUnderThreadSanitizer ? few / 8 : few }

    private static let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil
}
