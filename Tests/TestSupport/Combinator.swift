import SimpleFutures
import Testing

/// A function that derives a future from a future, or a stream from a stream, with the properties that the tests need.
///
/// The lists are `FutureCombinator.all` and `StreamCombinator.all`: a new combinator is one entry there, and every
/// suite that uses the list tests it. Entries are set up to pass values on unchanged.
struct Combinator<Subject: Sendable>: Sendable, CustomTestStringConvertible {
    /// When the combinator's closure runs.
    enum Trigger: Sendable { case never, atOnce, value, error }

    /// The kind of object that the closure returns, if not a plain value.
    enum Inner: Sendable { case future, stream }

    let name: String
    let runs: Trigger
    /// How often the closure runs for one end of the source.
    let runCount: Int
    let canThrow: Bool
    /// Whether the closure runs on a context that the caller passes.
    let takesContext: Bool
    let takesToken: Bool
    /// Whether values arrive only after time has passed on the clock.
    let waits: Bool
    /// Whether a recovery runs on the default context, after the call that fails the source has returned.
    let isLate: Bool
    let inner: Inner?
    /// The result of a failure; nil if it is passed on unchanged.
    let failure: Outcome<Int>?
    /// The result of a cancellation; nil if it is passed on unchanged.
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

    /// Whether it takes a closure that runs on a context for a value or error.
    var takesClosure: Bool { takesContext && (runs == .value || runs == .error) }

    /// Applies the combinator.
    ///
    /// Its closure calls `body` with its argument, and time passes on `clock`.
    func apply(
        to source: Subject, on context: any ExecutionContext = immediate, clock: ManualContext = ManualContext(),
        under token: CancelToken = .none, inner: Use.Inner = Use.Inner(),
        _ body: @escaping @Sendable (Try<Int>) throws -> Void = { _ in }
    ) -> Subject {
        make(source, Use(context: context, token: token, clock: clock, inner: inner, body: body))
    }
}

/// The arguments that a test passes to a combinator.
struct Use: Sendable {
    /// The future or stream that the closure returns; nil for a new one with the closure's argument.
    struct Inner: Sendable {
        var future: (@Sendable () -> Future<Int>)?
        var stream: (@Sendable () -> FutureStream<Int>)?
    }

    /// The value that replaces a failure.
    static let recovered = 99

    let context: any ExecutionContext
    let token: CancelToken
    let clock: ManualContext
    let inner: Inner
    let body: @Sendable (Try<Int>) throws -> Void

    /// For closures that take a value.
    @discardableResult
    func pass(_ value: Int) throws -> Int {
        try body(.success(value))
        return value
    }

    /// For closures that take an error.
    func recover(_ error: any Error) throws -> Int {
        try body(.failure(error))
        return Self.recovered
    }

    func future(_ value: Int) -> Future<Int> { inner.future?() ?? Future(value: value) }

    func stream(_ value: Int) -> FutureStream<Int> { inner.stream?() ?? FutureStream(value: value) }
}

/// The body of a property, for combinators that take a key path.
final class Getter: Hashable, Sendable {
    fileprivate let use: Use

    init(_ use: Use) { self.use = use }

    static func == (first: Getter, second: Getter) -> Bool { first === second }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Int {
    subscript(getting getter: Getter) -> Int {
        try? getter.use.body(.success(self))
        return self
    }
}
