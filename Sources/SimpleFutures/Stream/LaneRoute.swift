/// How a lane reaches its context.
///
/// The lane keeps its context as long as there are elements to come. Once the stream has ended, a context that has a
/// task of the lane is kept no longer: the task keeps the lane, and a context that never ran it would keep all of them.
struct LaneRoute {
    private var route: _Route?
    private weak var context: AnyObject?

    init(_ route: _Route) { self.route = route }

    /// Where it leads to, in words.
    var place: String { route?.place ?? "on a context that is gone" }

    /// The way to the context, if it can be asked once more.
    var open: _Route? { route }
    var isOpen: Bool { route != nil }

    /// The way to the context; nil when it is gone.
    ///
    /// - Parameters:
    ///   - hasEnded: Whether the stream has.
    ///   - isLastTask: Whether one task of the context is enough for what is left. A context that is no object is kept
    ///     until then, as it cannot be asked a second time otherwise.
    mutating func take(hasEnded: Bool, isLastTask: Bool) -> _Route? {
        guard hasEnded, let context = route?.context else { return route }
        if type(of: context) is any AnyObject.Type {
            self.context = context as AnyObject
        } else if !isLastTask {
            return route
        }
        return route.take()
    }

    /// Keeps the context again, which has begun the task.
    mutating func recover() {
        guard route == nil, let context = context as? any ExecutionContext else { return }
        route = .custom(context)
        self.context = nil
    }

    /// Takes the context of one who subscribes anew, if the old one is gone.
    mutating func renew(_ new: _Route) {
        if route == nil { route = new }
    }
}
