public import Dispatch

/// A wrapper of a Dispatch queue, with the few functions that futures need.
///
/// Wrappers of one queue are equal.
@preconcurrency
public struct Queue: Sendable, Hashable {
    /// The main queue.
    public static let main = Queue(DispatchQueue.main)

    /// The global concurrent queue of utility quality of service.
    public static let global = Queue(DispatchQueue.global(qos: .utility))

    /// The wrapped queue.
    public let queue: DispatchQueue

    /// Creates a new serial queue.
    ///
    /// - Parameter name: The label that debuggers show, by convention in reverse DNS style.
    public init(_ name: String) { queue = DispatchQueue(label: name) }

    /// Wraps an existing queue.
    public init(_ queue: DispatchQueue) { self.queue = queue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static func == (left: Queue, right: Queue) -> Bool {
        QueueIdentity(left.queue) == QueueIdentity(right.queue)
    }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public func hash(into hasher: inout Hasher) { hasher.combine(QueueIdentity(queue)) }

    /// Runs a closure on the queue and waits for it.
    ///
    /// Dispatch stops the program if this is called on the same serial queue.
    public func sync(_ block: () throws -> Void) rethrows { try queue.sync(execute: block) }

    /// Runs a closure on the queue, waits for it, and returns its result.
    public func sync<Result>(_ block: () throws -> Result) rethrows -> Result { try queue.sync(execute: block) }

    /// Runs a closure on the queue, later.
    @preconcurrency
    public func async(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }

    /// Runs a closure on the queue after a delay.
    ///
    /// - Parameters:
    ///   - delay: The time to wait in seconds. Zero or less means as soon as possible.
    ///   - request: The closure.
    @preconcurrency
    public func delay(_ delay: Double, request: @escaping @Sendable () -> Void) {
        queue.execute(after: Duration(clampedSeconds: delay), request)
    }
}

/// Identifies a Dispatch queue.
///
/// On Linux the main queue and the global queues are new objects each time. These are identified by their labels.
struct QueueIdentity: Hashable {
    private let object: ObjectIdentifier?
    private let label: String?

    private static let globalLabels = Set(
        [.background, .utility, .default, .userInitiated, .userInteractive, .unspecified]
            .map { DispatchQueue.global(qos: $0).label })

    init(_ queue: DispatchQueue) {
        let label = queue.label
        self.label = MainQueue.isMain(queue) ? "main" : Self.globalLabels.contains(label) ? label : nil
        object = self.label == nil ? ObjectIdentifier(queue) : nil
    }
}
