import Dispatch

#if canImport(Darwin)
import Darwin
#endif

/// The way the library reaches a context, resolved once at registration.
///
/// Not for use outside the library.
///
/// The library's own contexts are enum cases, so that a dispatch needs neither an existential nor a dynamic cast.
@_documentation(visibility: internal)
@frozen
public struct _Route: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        /// Runs on the thread that delivers the result.
        case immediate
        /// `object` is the queue.
        case queue
        /// The main queue. A case of its own, because `mainImmediate` must not overtake it.
        case main
        /// At once on the main queue, unless a callback of the same future is still on its way there.
        case mainImmediate
        /// `object` holds the context.
        case custom
    }

    // One word and a byte: copying a route retains at most one object, and none for the most common routes. The byte
    // comes last, so that the fields after a route can share its word.
    @usableFromInline let object: (any AnyObject & Sendable)?
    @usableFromInline let kind: Kind

    @inlinable
    init(_ kind: Kind, _ object: (any AnyObject & Sendable)? = nil) {
        self.kind = kind
        self.object = object
    }

    @inlinable
    static var immediate: _Route { _Route(.immediate) }
    static var mainImmediate: _Route { _Route(.mainImmediate) }

    static func queue(_ queue: DispatchQueue) -> _Route {
        MainQueue.isMain(queue) ? _Route(.main) : _Route(.queue, queue)
    }

    package static func custom(_ context: any ExecutionContext) -> _Route {
        _Route(.custom, CustomContext(context))
    }

    /// The place to continue `ImmediateContext` callbacks when other threads add them faster than this thread runs them
    /// (promise 6).
    static var elsewhere: _Route {
        #if canImport(Darwin)
        let qos = DispatchQoS.QoSClass(rawValue: qos_class_self()) ?? .default
        return _Route(.queue, DispatchQueue.global(qos: qos == .unspecified ? .default : qos))
        #else
        return _Route(.queue, DispatchQueue.global())
        #endif
    }

    /// Whether all registrations with this route have one context: a queue, an object, or a value that can be compared.
    ///
    /// A context that only adds to such a context, for example a clock, is the same as that context. Package hook.
    package var hasIdentity: Bool {
        guard let context else { return true }
        return type(of: context) is any AnyObject.Type || context is any Hashable
    }

    /// Whether a queue of Dispatch runs the tasks, so that passing one to it runs no code of the user's.
    ///
    /// Package hook.
    package var isQueue: Bool { kind == .queue || kind == .main }

    var leadsToMain: Bool { kind == .main || kind == .mainImmediate }

    /// Whether a callback may run on the current thread now.
    ///
    /// `hopsToMain` is the number of callbacks of the same future on their way to the main queue.
    func isHere(hopsToMain: UInt32) -> Bool {
        switch kind {
        case .immediate: true
        case .mainImmediate: hopsToMain == 0 && MainQueue.isCurrent
        case .queue, .main, .custom: false
        }
    }

    /// The route without its object: a task that waits in its context must not keep the context alive.
    var emptied: _Route { _Route(kind) }

    private var custom: CustomContext? { object as? CustomContext }

    /// The user's context, if there is one.
    var context: (any ExecutionContext)? { custom?.context }

    /// The value to compare the context by, if it is a comparable value.
    var value: ContextValue? { custom?.value }

    /// Returns the route with the value to compare its context by; nil if the context is an object or cannot be
    /// compared.
    ///
    /// It calls the user's `hash(into:)`, so it must not be called under a lock.
    func comparable() -> _Route? {
        guard let context, !(type(of: context) is any AnyObject.Type), let value = context as? any Hashable else {
            return nil
        }
        return _Route(.custom, CustomContext(context, ContextValue(value)))
    }

    /// The queue, if the route leads to one.
    var dispatchQueue: DispatchQueue? {
        kind == .queue ? unsafeDowncast(object.unsafelyUnwrapped, to: DispatchQueue.self) : nil
    }

    /// Passes a task to the context.
    func execute(_ task: @escaping @Sendable () -> Void) {
        switch kind {
        case .immediate: task()
        case .queue: dispatchQueue?.async(execute: task)
        case .main, .mainImmediate: DispatchQueue.main.async(execute: task)
        case .custom: context?.execute(task)
        }
    }
}

/// A box for a user's context.
private final class CustomContext: Sendable {
    let context: any ExecutionContext
    let value: ContextValue?

    init(_ context: any ExecutionContext, _ value: ContextValue? = nil) {
        self.context = context
        self.value = value
    }
}

/// The value to compare a user's context by.
struct ContextValue: @unchecked Sendable {
    // Sendable: contexts are Sendable, and the value is a context.

    private let value: AnyHashable
    let hash: Int
    /// Values that were found to be equal share a number.
    let number = CompletionId()

    init(_ value: any Hashable) {
        self.value = AnyHashable(value)
        hash = value.hashValue
    }

    /// Calls the user's `==`, so it must not be called under a lock.
    func equals(_ other: ContextValue) -> Bool { value == other.value }
}

/// Checks whether the current code runs on the main queue.
///
/// It checks the queue, not the thread: after `dispatchMain()` on Linux, a thread other than the first one serves the
/// main queue and the main actor.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether a queue is the main queue.
    ///
    /// Identity is not enough: on Linux `DispatchQueue.main` is a new object each time.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
