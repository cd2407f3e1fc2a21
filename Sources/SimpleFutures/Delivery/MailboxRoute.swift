/// A mailbox's reference to its context.
///
/// The mailbox holds its context while elements can arrive. Once the stream has ended, it releases a context that has
/// its task: the task holds the mailbox, so a context that never runs it would form a retain cycle. It does so when
/// `execute` has returned: a context that has run the task at once may get another one, and new subscribers are compared
/// with it. A context that is a value cannot be found again when the task begins, so a subscriber that is added then gets
/// another mailbox.
struct MailboxRoute {
    private var route: _Route?
    private weak var context: AnyObject?

    init(_ route: _Route) { self.route = route }

    /// A description of the context, for reports.
    var place: String { route?.place ?? "on a context that is gone" }

    /// The route to the context, if another task can be dispatched to it.
    var open: _Route? { route }
    var isOpen: Bool { route != nil }

    /// Returns the route to the context; nil if the context was released.
    ///
    /// - Parameters:
    ///   - hasEnded: Whether the stream has ended.
    ///   - isLastTask: Whether one more task is enough for the remaining elements. A context that is not an object is
    ///     held until then, because it cannot be referenced weakly.
    mutating func take(hasEnded: Bool, isLastTask: Bool) -> _Route? {
        guard hasEnded, let context = route?.context else { return route }
        if type(of: context) is any AnyObject.Type {
            self.context = context as AnyObject
        } else if !isLastTask {
            return route
        }
        return route.take()
    }

    /// Holds the context again, which has begun the task.
    mutating func recover() {
        guard route == nil, let context = context as? any ExecutionContext else { return }
        route = .custom(context)
        self.context = nil
    }

    /// Whether the context was released, so that another one may have its address.
    ///
    /// Called under the lock: the caller must hold the context with the address.
    var isGone: Bool { route == nil && context == nil }

    /// Takes out the reference to a context of the user's, if it is held.
    mutating func takeContext() -> Unretained<AnyObject>? {
        guard let route = route.take(), route.kind == .custom else { return nil }
        return route.object.map { Unretained(holding: $0) }
    }
}
