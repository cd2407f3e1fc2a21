import SimpleFutures

/// A closure together with the actor that it belongs to.
///
/// A closure without an actor is an ordinary one. It may be one of another type than the compiler would let us call
/// without `await`; the context sees to it that it is called where it belongs.
enum IsolatedCallback {
    /// Where a closure runs that belongs to an actor, or to none.
    static func context(
        of isolation: (any Actor)?,
        otherwise context: @autoclosure () -> any ExecutionContext = QueueContext.futuresDefault
    ) -> any ExecutionContext {
        isolation.map { ActorContext($0) } ?? context()
    }

    // A closure that is isolated to its actor is called like one that is not: what differs is where it may be called.
    // These drop that from the type; the callers pass the result to the context of the closure's actor and to nobody
    // else.

    static func bare(_ closure: @escaping @isolated(any) @Sendable () -> Void) -> @Sendable () -> Void {
        unsafeBitCast(closure, to: (@Sendable () -> Void).self)
    }

    static func bare<A>(_ closure: @escaping @isolated(any) @Sendable (A) -> Void) -> @Sendable (A) -> Void {
        unsafeBitCast(closure, to: (@Sendable (A) -> Void).self)
    }

    static func bare<A, B>(_ closure: @escaping @isolated(any) @Sendable (A, B) -> Void) -> @Sendable (A, B) -> Void {
        unsafeBitCast(closure, to: (@Sendable (A, B) -> Void).self)
    }

    static func bare<A, B, C>(
        _ closure: @escaping @isolated(any) @Sendable (A, B, C) -> Void
    ) -> @Sendable (A, B, C) -> Void {
        unsafeBitCast(closure, to: (@Sendable (A, B, C) -> Void).self)
    }

    static func bare<A, Result>(
        _ closure: @escaping @isolated(any) @Sendable (A) throws -> Result
    ) -> @Sendable (A) throws -> Result {
        unsafeBitCast(closure, to: (@Sendable (A) throws -> Result).self)
    }
}
