/// Reports programmer errors that the library survives.
///
/// In debug builds each kind of report goes to standard error once for each source location, then a count at 10, 100,
/// and so on. Printing never blocks the thread: output that a closed or full descriptor does not accept is dropped. In
/// release builds nothing is printed. A handler gets every report, in debug and release builds; the two about types
/// that are used in the wrong way, `contextsNotHashable` and `methodNotCalled`, are only made in debug builds:
///
///     FuturesDiagnostics.handler = { log.add("\($0)") }
///
/// `handler = { _ in }`, or `SIMPLEFUTURES_DIAGNOSTICS=0` in the environment, silences the reports.
///
/// Reports have no effect on results: the first completion has won, a broken future has failed.
public enum FuturesDiagnostics: Sendable {
    /// Gets every report, on the thread that made the mistake, outside any lock.
    ///
    /// With nil, the default, debug builds print the reports.
    ///
    /// It may be called from several threads at a time. Mistakes made inside the handler, such as emitting into a
    /// finished stream, are not reported again.
    public static var handler: (@Sendable (FuturesDiagnostic) -> Void)? {
        get { current.handler }
        set { current.set(newValue) }
    }

    private static let current = DiagnosticHandler()

    #if DEBUG
    /// Reports that contexts of a type cannot be compared, once for each type.
    static func reportOnce(_ diagnostic: FuturesDiagnostic) {
        guard case .contextsNotHashable(let type, _) = diagnostic, isWanted else { return }
        if typesReported.withLock({ $0.insert(type).inserted }) { report(diagnostic) }
    }

    private static let typesReported = Lock<Set<String>>([])
    #endif

    /// Reports a value of a function type: a method that `future(_:)` got because no `future(method:)` takes it.
    static func reportIfMethod(_ type: Any.Type, _ fileID: StaticString, _ line: UInt) {
        #if DEBUG
        guard isWanted, isFunction(type) else { return }
        report(.methodNotCalled(type: "\(type)", createdAt: CreationSite(fileID: fileID, line: line)))
        #endif
    }

    #if DEBUG
    /// Whether the type is a function, judged by an arrow in its name outside parentheses and angle brackets.
    private static func isFunction(_ type: Any.Type) -> Bool {
        var depth = 0
        var last: Character?
        for character in "\(type)" {
            defer { last = character }
            switch character {
            case "(", "<": depth += 1
            case ">" where last == "-": if depth == 0 { return true }
            case ")", ">": depth -= 1
            default: break
            }
        }
        return false
    }
    #endif

    package static func report(_ diagnostic: FuturesDiagnostic) {
        guard isWanted else { return }
        let thread = ThreadState.current
        guard !thread.pointee.isReporting else { return }
        thread.pointee.isReporting = true
        defer { thread.pointee.isReporting = false }
        if let handler { return handler(diagnostic) }
        #if DEBUG
        printByDefault(diagnostic)
        #endif
    }

    private static var isWanted: Bool {
        #if DEBUG
        current.isSet || printsByDefault
        #else
        current.isSet
        #endif
    }
}

/// Holds the handler, and a flag that can be read without the lock: threads do not contend for it while no handler is
/// set.
private final class DiagnosticHandler: _LockedObject, @unchecked Sendable {
    // Sendable: mutable state is accessed under the lock, except for the status byte, which may be read without it.

    typealias Handler = @Sendable (FuturesDiagnostic) -> Void

    @exclusivity(unchecked) private var current: Handler?

    var handler: Handler? { withLock { current } }
    var isSet: Bool { status != 0 }

    func set(_ new: Handler?) {
        let old = withLock { () -> Handler? in
            defer {
                current = new
                publish(new == nil ? 0 : 1)
            }
            return current
        }
        // Released outside the lock, because it may run user code.
        _ = consume old
    }
}

/// A programmer error that the library has survived.
public enum FuturesDiagnostic: Hashable, Sendable {
    /// `complete`, `success` or `failure` was called on a completed future. The first result stays.
    case completedTwice(createdAt: CreationSite?)
    /// A completion handler handed out by `future(method:)` or `Future(resolver:)` was called again. The first call
    /// counts.
    case blockCalledTwice(createdAt: CreationSite?)
    /// Everything that could have completed the future was released; it has failed.
    case brokenPromise(createdAt: CreationSite?)
    /// An element was emitted into a finished stream. The element was dropped.
    case emittedAfterFinish(createdAt: CreationSite?)
    /// The closure of a stream's source returned, and nothing held its emitter, which had not emitted anything. The
    /// stream has finished.
    case emitterReleased(createdAt: CreationSite?)
    /// A completion handler was called with neither a value nor an error. Its future fails, or its stream gets a
    /// failure, with ``FuturesError/invalidCompletion``.
    case blockCalledWithNeither(createdAt: CreationSite?)
    /// A future or a stream was told to complete with itself, or a stream with one that takes over its elements. The
    /// future fails, or the stream gets a failure, with ``FuturesError/invalidCompletion``.
    case completedWithItself(createdAt: CreationSite?)
    /// A subscription to a stream was iterated a second time. The first iterator gets the elements.
    case iteratedAgain(createdAt: CreationSite?)
    /// Callbacks of one stream were registered on two contexts of a type that is neither a class nor `Hashable`. They
    /// count as different contexts, so an element may reach them in any order. Reported once for each type, and only if
    /// the library was built for debugging.
    case contextsNotHashable(type: String, createdAt: CreationSite?)
    /// `future { … }` or `futureStream { … }` was given a method whose completion handler has a shape that no overload
    /// takes. The closure became the value, and the method was not called. Reported only if the library was built for
    /// debugging.
    case methodNotCalled(type: String, createdAt: CreationSite?)
}

extension FuturesDiagnostic: CustomStringConvertible {
    /// Says what happened, where the future was created, and what to do.
    public var description: String {
        switch self {
        case .completedTwice(let site):
            """
            A future\(Self.created(site)) was completed again; its first result stays. Use `tryComplete`, `trySuccess` or \
            `tryFailure` where this is expected.\(Self.hint(site))
            """
        case .blockCalledTwice(let site):
            """
            A completion handler\(Self.created(site)) was called again; its first call counts. For something that calls \
            back repeatedly, use `futureStream(method:)`.
            """
        case .brokenPromise(let site):
            FuturesError.brokenPromise(createdAt: site).description
        case .emittedAfterFinish(let site):
            """
            A stream\(Self.created(site)) got an element after it had finished; the element was dropped. Call `finish()` \
            after the last element.
            """
        case .emitterReleased(let site):
            """
            The emitter of a stream\(Self.created(site)) was released before it had emitted anything; the stream has \
            finished. Keep the object that holds the emitter, such as a delegate: return \
            `CancelAction(keeping: delegate) { … }` from the closure. If there is nothing to emit, call `finish()`.
            """
        case .blockCalledWithNeither(let site):
            """
            A completion handler\(Self.created(site)) was called with neither a value nor an error; that is the failure \
            `invalidCompletion`. If there may be no value, annotate the future, as in `Future<String?>`.
            """
        case .completedWithItself(let site):
            """
            A future or a stream\(Self.created(site)) was told to complete with itself, or with what takes over its own \
            elements; that is the failure `invalidCompletion`. Complete it with another one.\(Self.hint(site))
            """
        case .iteratedAgain(let site):
            """
            A subscription of a stream\(Self.created(site)) was iterated again; the first iterator has its elements. Make a \
            subscription for each loop, or iterate `values` or `results`, which subscribe anew.
            """
        case .contextsNotHashable(let type, let site):
            """
            Two callbacks of a stream\(Self.created(site)) run on contexts of the type \(type), and the library cannot \
            tell whether these are the same. They may get an element in any order. Make \(type) conform to `Hashable`, \
            or make it a class, and elements reach all callbacks on equal contexts in registration order.
            """
        case .methodNotCalled(let type, let site):
            """
            A future or a stream\(Self.created(site)) has a closure of the type \(type) as its value and did not call \
            it: no overload of `future(method:)` takes a completion handler of this shape. Call the method in \
            `Future { complete in … }` and complete the future in the handler. If the closure is the value, use \
            `Future(value:)`.
            """
        }
    }

    /// The sentence that explains how to find out where the future was created, if that is unknown.
    private static func hint(_ site: CreationSite?) -> String {
        site == nil ? " Had a promise made it, its line would be named here." : ""
    }

    private static func created(_ site: CreationSite?) -> String {
        site.map { " created at \($0)" } ?? ""
    }
}
