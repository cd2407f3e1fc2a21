/// What can go wrong with a future itself, as opposed to the work behind it.
public enum FuturesError: Error, Equatable, Sendable {
    /// There was nothing to deliver: a filter refused the value, nothing was found, a stream ended without one, or a
    /// subscription was iterated a second time.
    case noSuchElement
    /// A value was not what it must be.
    case invalidValue
    /// Everything that could have completed the future was released. `createdAt` tells where the promise was made, if
    /// there was one.
    case brokenPromise(createdAt: CreationSite?)
    /// A completion block was called with neither a value nor an error, or a future or a stream was told to complete
    /// with itself.
    case invalidCompletion
    /// The time given to `timeout` or `wait` has passed.
    ///
    /// `after` is how long that was, and `createdAt` where `timeout` was called, as far as they are known. `catch FuturesError.timedOut` and `case .timedOut` need no payload, and all are equal.
    case timedOut(after: Duration?, createdAt: CreationSite?)
    /// A bounded buffer was full, and so many elements were lost.
    case bufferOverflow(dropped: Int)

    /// Time has passed: to compare with, or to throw, where nothing more is known.
    public static var timedOut: FuturesError { .timedOut(after: nil, createdAt: nil) }

    /// Whether both say the same; how long it was, and where, makes no difference.
    public static func == (left: FuturesError, right: FuturesError) -> Bool {
        switch (left, right) {
        case (.noSuchElement, .noSuchElement), (.invalidValue, .invalidValue),
            (.invalidCompletion, .invalidCompletion), (.timedOut, .timedOut):
            true
        case (.brokenPromise(let left), .brokenPromise(let right)): left == right
        case (.bufferOverflow(let left), .bufferOverflow(let right)): left == right
        default: false
        }
    }
}

extension FuturesError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .noSuchElement:
            """
            No such element: a filter refused the value, a stream ended or a search was over without one, or a subscription \
            was iterated a second time. Use `recover` to supply another.
            """
        case .invalidValue:
            "Invalid value: the operation cannot be done with it. Check the value before you pass it on."
        case .brokenPromise(let site?):
            """
            Broken promise: the promise or completion block created at \(site) was released before it was used. Complete \
            the promise, or call the block, on every path, and keep it until then.
            """
        case .brokenPromise(nil):
            """
            Broken promise: everything that could complete the future was released: its source, or the context that was \
            to run its closure. Keep the source until it is completed.
            """
        case .invalidCompletion:
            """
            Invalid completion: a completion block was called with neither a value nor an error, or a future or a stream was \
            told to complete with itself. If no value is a good answer, take it as an optional. \
            `FuturesDiagnostics.handler` is told which of the two it was, and where it was created.
            """
        case .timedOut(let duration, let site):
            """
            Timed out: there was no result \(duration.map { "within \($0)" } ?? "in the time given")\
            \(site.map { " of the call at \($0)" } ?? ""). The work may still go on; \
            `timeout(_:cancelling:)` stops it with a `CancelToken`.
            """
        case .bufferOverflow(let dropped):
            """
            Buffer overflow: \(dropped) element\(dropped == 1 ? " was" : "s were") dropped, since the consumer is slower \
            than the producer. Consume faster, pass the buffering policy a greater bound, or choose `.unbounded`.
            """
        }
    }
}
