import SimpleFutures
import Testing

/// Something that makes one future of another, or one stream of another, and what the tests of all of them must know.
///
/// The lists are `FutureCombinator.all` and `StreamCombinator.all`: a new combinator is one entry there, and every
/// suite that goes through the list tests it. Entries are arranged so that values pass as they are.
struct Combinator<Subject: Sendable>: Sendable, CustomTestStringConvertible {
    /// When the closure that it takes runs.
    enum Trigger: Sendable { case never, atOnce, value, error }

    /// What the closure returns, if not a plain value.
    enum Inner: Sendable { case future, stream }

    let name: String
    let runs: Trigger
    /// How often the closure runs for one end of the source.
    let runCount: Int
    let canThrow: Bool
    /// Whether the closure runs on a context that the caller names.
    let takesContext: Bool
    let takesToken: Bool
    /// Whether values come only when time has passed on the clock.
    let waits: Bool
    /// Whether a recovery runs on the default context, after the call that fails the source has returned.
    let isLate: Bool
    let inner: Inner?
    /// What a failure becomes; nil if it passes as it is.
    let failure: Outcome<Int>?
    /// What a cancellation becomes; nil if it passes as it is.
    let cancellation: Outcome<Int>?
    private let make: @Sendable (Subject, Use) -> Subject

    init(
        _ name: String, runs: Trigger = .never, count: Int = 1, canThrow: Bool = true, takesContext: Bool = true,
        takesToken: Bool = true, waits: Bool = false, isLate: Bool = false, inner: Inner? = nil,
        failure: Outcome<Int>? = nil,
        cancellation: Outcome<Int>? = nil, make: @escaping @Sendable (Subject, Use) -> Subject
    ) {
        self.name = name
        self.runs = runs
        runCount = count
        self.canThrow = canThrow && runs != .never
        self.takesContext = takesContext && runs != .never
        self.takesToken = takesToken
        self.waits = waits
        self.isLate = isLate
        self.inner = inner
        self.failure = failure
        self.cancellation = cancellation
        self.make = make
    }

    var testDescription: String { name }

    /// Whether it takes a closure that runs on a context, with what the source brings.
    var takesClosure: Bool { takesContext && (runs == .value || runs == .error) }

    /// Applies it; the closure that it takes calls `body` with what it is given, and time passes on `clock`.
    func apply(
        to source: Subject, on context: any ExecutionContext = immediate, clock: ManualContext = ManualContext(),
        under token: CancelToken = .none, inner: Use.Inner = Use.Inner(),
        _ body: @escaping @Sendable (Try<Int>) throws -> Void = { _ in }
    ) -> Subject {
        make(source, Use(context: context, token: token, clock: clock, inner: inner, body: body))
    }
}

/// What a test gives to a combinator.
struct Use: Sendable {
    /// What the closure returns, if it returns a future or a stream; nil for one that has what the closure was given.
    struct Inner: Sendable {
        var future: (@Sendable () -> Future<Int>)?
        var stream: (@Sendable () -> FutureStream<Int>)?
    }

    /// What a failure becomes that has been recovered from.
    static let recovered = 99

    let context: any ExecutionContext
    let token: CancelToken
    let clock: ManualContext
    let inner: Inner
    let body: @Sendable (Try<Int>) throws -> Void

    /// For closures that are given a value.
    @discardableResult
    func pass(_ value: Int) throws -> Int {
        try body(.success(value))
        return value
    }

    /// For closures that are given an error.
    func recover(_ error: any Error) throws -> Int {
        try body(.failure(error))
        return Self.recovered
    }

    func future(_ value: Int) -> Future<Int> { inner.future?() ?? Future(value: value) }

    func stream(_ value: Int) -> FutureStream<Int> { inner.stream?() ?? FutureStream(value: value) }
}
