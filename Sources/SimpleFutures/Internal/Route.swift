public import Dispatch

/// How the library reaches a context, resolved once at registration.
///
/// Not for use outside the library.
///
/// The contexts of the library are named, so that a delivery needs neither an existential nor a dynamic cast.
@_documentation(visibility: internal)
public struct _Route: Sendable {
    @usableFromInline
    package enum Kind: Sendable {
        /// On the thread that delivers.
        case immediate
        case queue(DispatchQueue)
        /// The main queue, apart from the others because of `mainImmediate`, which must not overtake it.
        case main
        /// At once on the main queue, unless something of the same future is still on its way there.
        case mainImmediate
        indirect case custom(any ExecutionContext)
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    package init(queue: DispatchQueue) {
        kind = queue === DispatchQueue.main ? .main : .queue(queue)
    }

    var isImmediate: Bool {
        if case .immediate = kind { true } else { false }
    }

    var leadsToMain: Bool {
        switch kind {
        case .main, .mainImmediate: true
        case .immediate, .queue, .custom: false
        }
    }

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

    /// Hands a task to the context.
    func execute(_ task: @escaping @Sendable () -> Void) {
        switch kind {
        case .immediate: task()
        case .queue(let queue): queue.async(execute: task)
        case .main, .mainImmediate: DispatchQueue.main.async(execute: task)
        case .custom(let context): context.execute(task)
        }
    }
}

/// Knows whether the current code runs on the main queue.
///
/// The queue is asked and not the thread: after `dispatchMain()` on Linux the main queue, and with it the main actor, is
/// served by a thread that is not the first one.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
