import SimpleFutures

/// Contents that belong to an actor: they are used on it, and released on it.
///
/// The compiler lets a closure of an actor capture objects that are not `Sendable`, because they stay on the actor.
/// Other threads release closures that do not run: of a future that fails, or under a token. There `deinit` of what only
/// the closure holds, a view for example, would run off the actor.
final class ActorBound<Contents>: @unchecked Sendable {
    // Sendable: the contents are accessed only on the actor, and the actor is constant.

    private final class Kept: @unchecked Sendable {
        // Sendable like the other.
        var contents: Contents?

        init(_ contents: consuming Contents?) { self.contents = contents }
    }

    private var contents: Contents?
    private let actor: any Actor

    init(_ contents: consuming Contents, to actor: any Actor) {
        self.contents = contents
        self.actor = actor
    }

    /// Must be called on the actor.
    ///
    /// Returns nil if a closure that runs once has run: a type of the user's that is a `Futurable` may call it again.
    func contents(for use: IsolatedCallback.Use) -> Contents? {
        switch use {
        case .once: contents.take()
        case .often: contents
        }
    }

    func required(for use: IsolatedCallback.Use) throws -> Contents {
        guard let contents = contents(for: use) else { throw CancellationError() }
        return contents
    }

    deinit {
        guard contents != nil else { return }
        // At once if this is the main queue already.
        let isMain = actor === MainActor.shared
        let context: any ExecutionContext = isMain ? QueueContext.mainImmediate : ActorContext(actor)
        let kept = Kept(contents.take())
        context.execute { kept.contents = nil }
    }
}
