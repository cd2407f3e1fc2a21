/// Identifies a mailbox.
///
/// Two contexts are the same if they lead to one queue, are one object, or are equal values (promise 3).
///
/// Keys are compared under the lock, so they contain no user types: equal values are found beforehand, and share
/// the number of the first one.
struct MailboxKey: Hashable {
    let kind: Mailbox.Kind
    private var queue: QueueIdentity?
    /// The object that is the context.
    private var object: ObjectIdentifier?
    /// The number of a context that is a value.
    private var number: CompletionId?
    /// The hash value of a context that can be compared.
    private(set) var hash: Int?

    static var sink: MailboxKey { MailboxKey(kind: .sink) }

    private init(kind: Mailbox.Kind) { self.kind = kind }

    init(_ route: _Route) {
        switch route.kind {
        case .immediate: kind = .immediate
        case .main, .mainImmediate: kind = .main
        case .queue: kind = .queue
        case .custom: kind = .custom
        }
        if let queue = route.dispatchQueue {
            self.queue = QueueIdentity(queue)
        } else if let context = route.context {
            if type(of: context) is any AnyObject.Type {
                object = ObjectIdentifier(context as AnyObject)
            } else if let value = route.value {
                (number, hash) = (value.number, value.hash)
            } else {
                number = CompletionId()
            }
        }
    }

    /// The same for equal keys, and for contexts that are values with the same hash value.
    var bucket: Int { hash ?? hashValue }

    /// Whether the context is a value that cannot be compared with others.
    var isAlone: Bool { number != nil && hash == nil }
}
