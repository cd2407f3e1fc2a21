public import SimpleFutures

/// Runs callbacks on an actor.
///
///     actor Store {
///         func follow(_ updates: FutureStream<Update>) {
///             updates.onSuccess(context: ActorContext(self)) { [weak self] update in … }
///         }
///     }
///
/// They run one after the other, in the order in which they come, between other work of the actor. The compiler does
/// not know that they are there: a closure that touches the actor's state is passed as `isolated:`, for instance to
/// ``SimpleFutures/Futurable/onSuccess(cancelToken:isolated:)``, which uses this context.
///
/// They see no task-local values; to carry some along use ``TaskLocalContext``.
///
/// For the main actor it is the main queue, so that such callbacks keep their order among all others on that queue.
/// Times are waited for as by default, with a Dispatch timer. The context keeps the actor alive.
public struct ActorContext: ExecutionContext, Hashable {
    /// The actor that the callbacks run on.
    public let actor: any Actor

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { actor === MainActor.shared ? QueueContext.main._route : .custom(self) }

    /// Creates a context that runs callbacks on an actor.
    ///
    /// Two contexts of one actor are the same context: callbacks keep their order among both.
    public init(_ actor: any Actor) { self.actor = actor }

    /// Whether the two lead to the same actor.
    public static func == (first: ActorContext, second: ActorContext) -> Bool { first.actor === second.actor }

    /// Hashes the identity of the actor.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(actor)) }

    /// Runs the task on the actor, later.
    public func execute(_ task: @escaping @Sendable () -> Void) {
        startDetachedTask(on: actor, task)
    }
}
