import Dispatch

extension StreamLane {
    /// What tells the lanes of a stream apart.
    struct Key: Equatable {
        let kind: Kind
        /// The queue, or the type of the context.
        private(set) var identity: ObjectIdentifier?
        /// The bytes of the context: values of one type with the same bytes are the same.
        private(set) var bytes: [UInt8] = []

        static var sink: Key { Key(kind: .sink) }

        private init(kind: Kind) { self.kind = kind }

        init(_ route: _Route) {
            switch route.kind {
            case .immediate: kind = .immediate
            case .main, .mainImmediate: kind = .main
            case .queue: kind = .queue
            case .custom: kind = .custom
            }
            if let queue = route.dispatchQueue {
                identify(queue)
            } else if let context = route.context {
                identify(context)
            }
        }

        private mutating func identify(_ queue: DispatchQueue) {
            identity = ObjectIdentifier(queue)
            // On Linux a global queue is a new object each time; these are told apart by their names.
            guard queue.label.hasPrefix("com.apple.root.") else { return }
            identity = nil
            bytes = Array(queue.label.utf8)
        }

        private mutating func identify<Context: ExecutionContext>(_ context: Context) {
            identity = ObjectIdentifier(Context.self)
            bytes = withUnsafeBytes(of: context) { Array($0) }
        }
    }
}

/// How a lane reaches its context.
///
/// While a context has a task of the lane, the lane must not keep the context: the task keeps the lane, and a context that
/// never ran it would keep all of them.
struct LaneRoute {
    private var route: _Route?
    private weak var context: AnyObject?

    init(_ route: _Route) { self.route = route }

    /// The way to the context, which is kept no longer; nil when it is gone.
    mutating func weaken() -> _Route? {
        guard let route else { return nil }
        if let context = route.context, type(of: context) is any AnyObject.Type {
            self.context = context as AnyObject
            self.route = nil
        }
        return route
    }

    /// Keeps the context again, which has begun the task.
    mutating func strengthen() {
        guard route == nil, let object = context, let context = object as? any ExecutionContext else { return }
        route = .custom(context)
        self.context = nil
    }
}
