public import SourceFiles

/// A place in a file that needs a change, and what to write there.
public struct Finding: Sendable, Hashable {
    /// The file.
    public let path: String
    /// The line and column, both counted from 1.
    public let position: Position
    /// The rule.
    public let rule: Rule
    /// The mistake and its consequence.
    public let message: String
    /// The code to write instead.
    public let advice: String

    /// A finding.
    public init(path: String, position: Position, rule: Rule, message: String, advice: String) {
        self.path = path
        self.position = position
        self.rule = rule
        self.message = message
        self.advice = advice
    }

    /// The finding in the compiler's format: a warning, and a note with what to write.
    public var diagnostic: String {
        let place = "\(path):\(position.line):\(position.column):"
        return "\(place) warning: \(message) [\(rule.rawValue)]\n\(place) note: \(advice)"
    }
}

/// A mistake that `lint` looks for.
public enum Rule: String, Sendable, Hashable, CaseIterable, Codable {
    /// A continuation with a path that doesn't resume it.
    case notResumed = "continuation-not-resumed"
    /// A continuation that a path resumes twice.
    case resumedTwice = "continuation-resumed-twice"
    /// A continuation that doesn't notice that its task was canceled.
    case notCancellable = "continuation-not-cancellable"
    /// A thread that waits for a closure.
    case blockingWait = "blocking-wait"
    /// A result that is passed on to a completion handler by a callback of a future.
    case forwardedResult = "forwarded-result"
    /// A promise that nothing can complete.
    case droppedPromise = "dropped-promise"
    /// A token that is canceled as soon as it is made.
    case droppedToken = "dropped-token"
    /// The main actor that waits for a future.
    case mainActorWait = "main-actor-wait"
    /// Attempts that go on after their timeout.
    case retryTimeout = "retry-timeout"
    /// A stream without a limit in an object that lives as long as a screen.
    case unboundedStream = "unbounded-stream"
    /// A comment that suppresses findings without saying why.
    case ignoreReason = "ignore-reason"

    /// A description of the rule for the help text.
    public var summary: String {
        switch self {
        case .notResumed: "a continuation with a path that doesn't resume it"
        case .resumedTwice: "a continuation that a path resumes twice"
        case .notCancellable: "a continuation that ignores the cancellation of its task"
        case .blockingWait: "a semaphore or dispatch group that waits for a closure of the same function"
        case .forwardedResult: "a callback of a future that only calls a completion handler"
        case .droppedPromise: "a promise that nothing can complete"
        case .droppedToken: "an `OwnedToken` that is released with the function that made it"
        case .mainActorWait: "a `wait()` for a future in main-actor code"
        case .retryTimeout: "an attempt of `retry` with a `timeout` that doesn't cancel it"
        case .unboundedStream: "a `StreamPromise` without `capacity:` in a view model"
        case .ignoreReason: "a `migrator:ignore` comment without a reason"
        }
    }

    /// Whether the rule runs unless asked for by name.
    ///
    /// `notCancellable` applies to nearly all continuations: 599 in the code that the rules were tried on, which has
    /// about 615. So it is an inventory for a migration, and no warning for each build.
    public var runsByDefault: Bool { self != .notCancellable }

    /// The rules that run unless others are asked for.
    public static var defaults: Set<Rule> { Set(allCases.filter(\.runsByDefault)) }
}
