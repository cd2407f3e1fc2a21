import SimpleFutures

/// Removes the actor from a closure's type, and finds the context for that actor.
///
/// Code outside an actor can call an isolated closure only with `await`. Here the actor's context calls it
/// synchronously on the actor.
///
/// The parameters for such closures are `@_inheritActorContext(always)`: without `always`, a closure in an actor's method
/// that does not use `self` has no actor, and would run elsewhere, in no order with the others.
enum IsolatedCallback {
    /// The context of the closure's actor, or the default without an actor.
    static func context(
        of isolation: (any Actor)?,
        otherwise context: @autoclosure () -> any ExecutionContext = QueueContext.futuresDefault
    ) -> any ExecutionContext {
        isolation.map { ActorContext($0) } ?? context()
    }

    /// How often a closure runs.
    enum Use {
        /// At most once; it is released when it has run.
        case once
        case often
    }

    // These functions remove the actor from the type of a closure. Callers pass the result only to the context of that
    // actor. The closure itself, a function and its captures, is unchanged: the actor is one of the captures, and the
    // calling convention is the same. It is released on the actor.
    //
    // The cast is between structs that hold the closure. A cast of the closure itself would be generic over its type,
    // and metadata of an `@isolated(any)` type needs macOS 15 and iOS 18. The structs need no metadata: `.ci/apple
    // --code` checks that in the code for macOS 13, with and without optimization.

    /// - Parameter object: Is released with the closure. It need not be `Sendable`: nothing uses it.
    static func bare(
        _ closure: @escaping @isolated(any) @Sendable () -> Void, runs use: Use = .often,
        keeping object: AnyObject? = nil
    ) -> @Sendable () -> Void {
        let bare = unsafeBitCast(Isolated0(closure: closure), to: Bare0.self).closure
        nonisolated(unsafe) let object = object
        let both = object == nil ? bare : { @Sendable in withExtendedLifetime(object, bare) }
        guard let actor = closure.isolation else { return both }
        let bound = ActorBound(both, to: actor)
        return { bound.contents(for: use)?() }
    }

    static func bare<A>(
        _ closure: @escaping @isolated(any) @Sendable (A) -> Void, runs use: Use = .often
    ) -> @Sendable (A) -> Void {
        let bare = unsafeBitCast(Isolated1(closure: closure), to: Bare1<A>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { bound.contents(for: use)?($0) }
    }

    static func bare<A, B>(
        _ closure: @escaping @isolated(any) @Sendable (A, B) -> Void, runs use: Use = .often
    ) -> @Sendable (A, B) -> Void {
        let bare = unsafeBitCast(Isolated2(closure: closure), to: Bare2<A, B>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { bound.contents(for: use)?($0, $1) }
    }

    static func bare<A, B, C>(
        _ closure: @escaping @isolated(any) @Sendable (A, B, C) -> Void, runs use: Use = .often
    ) -> @Sendable (A, B, C) -> Void {
        let bare = unsafeBitCast(Isolated3(closure: closure), to: Bare3<A, B, C>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { bound.contents(for: use)?($0, $1, $2) }
    }

    static func bare<Result>(
        _ closure: @escaping @isolated(any) @Sendable () throws -> Result
    ) -> @Sendable () throws -> Result {
        let bare = unsafeBitCast(IsolatedThrowing0(closure: closure), to: BareThrowing0<Result>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { try bound.required(for: .often)() }
    }

    static func bare<A, Result>(
        _ closure: @escaping @isolated(any) @Sendable (A) throws -> Result, runs use: Use = .often
    ) -> @Sendable (A) throws -> Result {
        let bare = unsafeBitCast(IsolatedThrowing(closure: closure), to: BareThrowing<A, Result>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { try bound.required(for: use)($0) }
    }

    static func bare<A, B, Result>(
        _ closure: @escaping @isolated(any) @Sendable (A, B) throws -> Result, runs use: Use = .often
    ) -> @Sendable (A, B) throws -> Result {
        let bare = unsafeBitCast(IsolatedThrowing2(closure: closure), to: BareThrowing2<A, B, Result>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { try bound.required(for: use)($0, $1) }
    }

    static func bare<A, B>(
        _ closure: @escaping @isolated(any) @Sendable (inout A, B) throws -> Void
    ) -> @Sendable (inout A, B) throws -> Void {
        let bare = unsafeBitCast(IsolatedUpdate(closure: closure), to: BareUpdate<A, B>.self).closure
        guard let actor = closure.isolation else { return bare }
        let bound = ActorBound(bare, to: actor)
        return { try bound.required(for: .often)(&$0, $1) }
    }
}

private struct Isolated0 { let closure: @isolated(any) @Sendable () -> Void }
private struct Bare0 { let closure: @Sendable () -> Void }

private struct Isolated1<A> { let closure: @isolated(any) @Sendable (A) -> Void }
private struct Bare1<A> { let closure: @Sendable (A) -> Void }

private struct Isolated2<A, B> { let closure: @isolated(any) @Sendable (A, B) -> Void }
private struct Bare2<A, B> { let closure: @Sendable (A, B) -> Void }

private struct Isolated3<A, B, C> { let closure: @isolated(any) @Sendable (A, B, C) -> Void }
private struct Bare3<A, B, C> { let closure: @Sendable (A, B, C) -> Void }

private struct IsolatedThrowing0<Result> { let closure: @isolated(any) @Sendable () throws -> Result }
private struct BareThrowing0<Result> { let closure: @Sendable () throws -> Result }

private struct IsolatedThrowing<A, Result> { let closure: @isolated(any) @Sendable (A) throws -> Result }
private struct BareThrowing<A, Result> { let closure: @Sendable (A) throws -> Result }

private struct IsolatedThrowing2<A, B, Result> { let closure: @isolated(any) @Sendable (A, B) throws -> Result }
private struct BareThrowing2<A, B, Result> { let closure: @Sendable (A, B) throws -> Result }

private struct IsolatedUpdate<A, B> { let closure: @isolated(any) @Sendable (inout A, B) throws -> Void }
private struct BareUpdate<A, B> { let closure: @Sendable (inout A, B) throws -> Void }
