/// An error of a future or a stream itself, as opposed to an error of the work.
public enum FuturesError: Error, Hashable, Sendable {
    /// There was no value: a filter returned false, a future's `compactMap` returned nil, a search found nothing, a stream
    /// ended without a value, there were no futures to choose from or to reduce, or a subscription was iterated a second time.
    case noSuchElement
    /// A value is not one that the operation can use.
    case invalidValue
    /// Everything that could have completed the future was released, or a context released a closure of the future or
    /// stream without running it. `createdAt` is the place where the promise was created or the completion handler was
    /// wrapped; nil for everything else.
    case brokenPromise(createdAt: CreationSite?)
    /// A completion handler was called with neither a value nor an error, or a future or a stream was told to complete
    /// with itself.
    case invalidCompletion
    /// The time given to `timeout` or `wait` has passed.
    ///
    /// `after` is the time limit and `createdAt` the place of the call with the limit, if they are known. `catch
    /// FuturesError.timedOut` and `case .timedOut` need no payload, and all timeouts compare equal.
    case timedOut(after: Duration?, createdAt: CreationSite?)
    /// A bounded buffer was full, and this number of elements was lost.
    case bufferOverflow(dropped: Int)

    /// A timeout without details, to compare with or to throw.
    public static var timedOut: FuturesError { .timedOut(after: nil, createdAt: nil) }

    /// Whether both are the same error.
    ///
    /// The details of a timeout make no difference; those of other errors do. To ask for a broken promise of any place,
    /// write `if case .brokenPromise = error`.
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

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .noSuchElement: hasher.combine(0)
        case .invalidValue: hasher.combine(1)
        case .brokenPromise(let site):
            hasher.combine(2)
            hasher.combine(site)
        case .invalidCompletion: hasher.combine(3)
        case .timedOut: hasher.combine(4)
        case .bufferOverflow(let dropped):
            hasher.combine(5)
            hasher.combine(dropped)
        }
    }
}

extension FuturesError: CustomStringConvertible {
    /// Describes what happened and what to do.
    public var description: String {
        switch self {
        case .noSuchElement:
            """
            No such element: a filter returned false, a future's `compactMap` returned nil, a search or a stream ended \
            without a value, there were no futures, or a subscription was iterated twice. Use `recover` to supply a value. \
            A stream also ends when its promise or emitter is released.
            """
        case .invalidValue:
            "Invalid value: the operation cannot use it. Check the value before you pass it."
        case .brokenPromise(let site?):
            """
            Broken promise: the promise or completion handler created at \(site) was released before it was used. Complete \
            the promise, or call the handler, on every path, and keep it until then.
            """
        case .brokenPromise(nil):
            """
            Broken promise: everything that could complete the future was released, or a context released a closure of \
            the future or stream without running it. Keep the source until it has ended; the context must run each closure.
            """
        case .invalidCompletion:
            """
            Invalid completion: a completion handler was called with neither a value nor an error, or a future or a stream \
            was told to complete with itself. If nil is a valid value, annotate the future, as in `Future<String?>`. \
            `FuturesDiagnostics` reports which of the two it was, and where it was created.
            """
        case .timedOut(let duration, let site):
            """
            Timed out: there was no result \(duration.map { "within \($0)" } ?? "in the time given")\
            \(site.map { " of the call at \($0)" } ?? ""). Allow more \
            time, or find out what takes so long. The work itself stops only if the call cancels it, as in \
            `timeout(_:cancelling:)`.
            """
        case .bufferOverflow(let dropped):
            """
            Buffer overflow: \(dropped) element\(dropped == 1 ? " was" : "s were") dropped because the consumer is slower \
            than the producer. Consume faster, use a greater bound, or choose `.unbounded`.
            """
        }
    }
}
