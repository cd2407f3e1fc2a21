package import Dispatch

#if canImport(Darwin)
import Darwin
#endif

/// How the library reaches a context, resolved once at registration.
///
/// Not for use outside the library.
///
/// The contexts of the library are named, so that a delivery needs neither an existential nor a dynamic cast.
@_documentation(visibility: internal)
@frozen
public struct _Route: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        /// On the thread that delivers.
        case immediate
        /// `object` is the queue.
        case queue
        /// The main queue, apart from the others because of `mainImmediate`, which must not overtake it.
        case main
        /// At once on the main queue, unless something of the same future is still on its way there.
        case mainImmediate
        /// `object` holds the context.
        case custom
    }

    // One word and a byte, so that to copy a route is to retain an object, and none for the commonest ones. In this
    // order, so that what follows a route in memory fills up its last word.
    @usableFromInline let object: (any AnyObject & Sendable)?
    @usableFromInline let kind: Kind

    @inlinable
    init(_ kind: Kind, _ object: (any AnyObject & Sendable)? = nil) {
        self.kind = kind
        self.object = object
    }

    @inlinable
    package static var immediate: _Route { _Route(.immediate) }
    package static var mainImmediate: _Route { _Route(.mainImmediate) }

    package static func queue(_ queue: DispatchQueue) -> _Route {
        MainQueue.isMain(queue) ? _Route(.main) : _Route(.queue, queue)
    }

    package static func custom(_ context: any ExecutionContext) -> _Route {
        _Route(.custom, CustomContext(context))
    }

    /// Where a thread sends callbacks for `ImmediateContext` that other threads register or cause faster than it runs
    /// them (promise 6).
    static var elsewhere: _Route {
        #if canImport(Darwin)
        let qos = DispatchQoS.QoSClass(rawValue: qos_class_self()) ?? .default
        return _Route(.queue, DispatchQueue.global(qos: qos == .unspecified ? .default : qos))
        #else
        return _Route(.queue, DispatchQueue.global())
        #endif
    }

    var leadsToMain: Bool { kind == .main || kind == .mainImmediate }

    /// Whether a delivery goes through a Dispatch queue, whatever the circumstances.
    var isQueue: Bool { kind == .queue || kind == .main }

    /// Whether a delivery may run on the spot.
    ///
    /// `hopsToMain` counts what the same future has on its way to main.
    func isHere(hopsToMain: UInt32) -> Bool {
        switch kind {
        case .immediate: true
        case .mainImmediate: hopsToMain == 0 && MainQueue.isCurrent
        case .queue, .main, .custom: false
        }
    }

    /// The same without what it holds: a task that waits in its context must not keep the context alive.
    var emptied: _Route { _Route(kind) }

    /// The context of a user's.
    var context: (any ExecutionContext)? {
        kind == .custom ? unsafeDowncast(object.unsafelyUnwrapped, to: CustomContext.self).context : nil
    }

    /// Of a context that is a value and can be compared with others: what it is compared by.
    var value: ContextValue? {
        kind == .custom ? unsafeDowncast(object.unsafelyUnwrapped, to: CustomContext.self).value : nil
    }

    /// The route with what its context is compared by; nil if that is an object or cannot be compared.
    ///
    /// It asks the user's context for its hash value, so it must be called under no lock.
    func comparable() -> _Route? {
        guard let context, !(type(of: context) is any AnyObject.Type), let value = context as? any Hashable else {
            return nil
        }
        return _Route(.custom, CustomContext(context, ContextValue(value)))
    }

    /// The queue, if a delivery goes through one.
    var dispatchQueue: DispatchQueue? {
        kind == .queue ? unsafeDowncast(object.unsafelyUnwrapped, to: DispatchQueue.self) : nil
    }

    /// Hands a task to the context.
    func execute(_ task: @escaping @Sendable () -> Void) {
        switch kind {
        case .immediate: task()
        case .queue: unsafeDowncast(object.unsafelyUnwrapped, to: DispatchQueue.self).async(execute: task)
        case .main, .mainImmediate: DispatchQueue.main.async(execute: task)
        case .custom: unsafeDowncast(object.unsafelyUnwrapped, to: CustomContext.self).context.execute(task)
        }
    }
}

/// A context of a user's, in a box.
private final class CustomContext: Sendable {
    let context: any ExecutionContext
    let value: ContextValue?

    init(_ context: any ExecutionContext, _ value: ContextValue? = nil) {
        self.context = context
        self.value = value
    }
}

/// What a context is compared by that is a value.
struct ContextValue: @unchecked Sendable {
    // Sendable, because contexts are, and this is one.

    private let value: AnyHashable
    let hash: Int
    /// Equal ones that are known to be equal have the same.
    let number = CompletionId()

    init(_ value: any Hashable) {
        self.value = AnyHashable(value)
        hash = value.hashValue
    }

    /// Asks the user's contexts: to be called under no lock.
    func equals(_ other: ContextValue) -> Bool { value == other.value }
}

/// Knows whether the current code runs on the main queue.
///
/// The queue is asked and not the thread: after `dispatchMain()` on Linux the main queue, and with it the main actor,
/// is served by a thread that is not the first one.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether it is the main queue.
    ///
    /// Identity does not tell: on Linux `DispatchQueue.main` is a new object each time.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
