public import SimpleFutures

/// Runs callbacks on an actor.
///
///     actor Store {
///         func follow(_ positions: FutureStream<Position>) {
///             positions.onSuccess(context: ActorContext(self)) { position in … }
///         }
///     }
///
/// They run one after the other, in order, between other work of the actor. The compiler does not know the isolation of
/// such callbacks: to access the actor's state, pass the closure as `isolated:`, for example to
/// ``SimpleFutures/Futurable/onSuccess(cancelToken:isolated:)``, which uses this context.
///
/// Callbacks have no task-local values; to pass some along use ``TaskLocalContext``.
///
/// For the main actor it uses the main queue, so that such callbacks keep their order with all others on that queue.
/// Delays use a Dispatch timer, the default. The context keeps the actor alive.
public struct ActorContext: ExecutionContext, Hashable {
    /// The actor that the callbacks run on.
    public let actor: any Actor

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { actor === MainActor.shared ? QueueContext.main._route : .custom(self) }

    /// Creates a context that runs callbacks on an actor.
    ///
    /// Two contexts of one actor are equal: callbacks keep their order across both.
    public init(_ actor: any Actor) { self.actor = actor }

    /// Whether both use the same actor.
    public static func == (first: ActorContext, second: ActorContext) -> Bool { first.actor === second.actor }

    /// Hashes the identity of the actor.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(actor)) }

    /// Runs the task on the actor, later.
    public func execute(_ task: @escaping @Sendable () -> Void) {
        startDetachedTask(on: actor, task)
    }
}
