import Dispatch

extension StreamLane {
    /// What tells the lanes of a stream apart.
    struct Key: Hashable {
        let kind: Kind
        /// The queue, or the type of the context.
        private var identity: ObjectIdentifier?
        private var name: String?
        /// What the context is made of.
        private var parts: [Part] = []

        // The library compares and hashes keys under the lock, so there is no code of the user's in them, nor do they
        // keep anything of his.
        private enum Part: Hashable {
            case object(ObjectIdentifier)
            case text(String)
            case different(CompletionId)
        }

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
                identity = ObjectIdentifier(type(of: context))
                addParts(of: context)
            }
        }

        private mutating func identify(_ queue: DispatchQueue) {
            // On Linux a global queue is a new object each time; these are told apart by their names.
            if queue.label.hasPrefix("com.apple.root.") {
                name = queue.label
            } else {
                identity = ObjectIdentifier(queue)
            }
        }

        /// Two contexts are the same if everything that they are made of is: objects by identity, numbers and strings
        /// by value.
        ///
        /// What cannot be compared, a closure for instance, is different each time; then each subscriber has a lane to
        /// itself.
        private mutating func addParts(of value: Any) {
            if type(of: value) is any AnyObject.Type {
                return parts.append(.object(ObjectIdentifier(value as AnyObject)))
            }
            switch value {
            case let type as Any.Type: parts.append(.object(ObjectIdentifier(type)))
            case let value as any FixedWidthInteger: parts.append(.text("\(value)"))
            case let value as any BinaryFloatingPoint: parts.append(.text("\(value)"))
            case let value as Bool: parts.append(.text("\(value)"))
            case let value as String: parts.append(.text(value))
            default:
                let mirror = Mirror(reflecting: value)
                if mirror.displayStyle == .enum, mirror.children.isEmpty {
                    parts.append(.text("\(value)"))
                } else {
                    addChildren(of: mirror)
                }
            }
        }

        private mutating func addChildren(of mirror: Mirror) {
            switch mirror.displayStyle {
            case .struct, .tuple, .optional, .enum:
                for child in mirror.children {
                    // Of an enumeration the label is the case.
                    parts.append(.text(child.label ?? ""))
                    addParts(of: child.value)
                }
            default: parts.append(.different(CompletionId()))
            }
        }
    }
}
