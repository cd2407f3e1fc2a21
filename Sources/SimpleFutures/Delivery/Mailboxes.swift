/// The mailboxes of a stream, found by the identity of their contexts.
struct Mailboxes {
    private(set) var all: [Mailbox] = [] {
        didSet { only = all.count == 1 ? Unretained(all[0]) : nil }
    }
    /// The mailbox of a stream that has only one.
    ///
    /// Stored separately to avoid a retain.
    private(set) var only: Unretained<Mailbox>?
    /// The mailboxes by `MailboxKey.bucket`, once there are too many for a linear search.
    private var buckets: [Int: [Mailbox]] = [:]
    /// A removed mailbox, to be released outside the lock: its context, and that one's properties, may be released with
    /// it.
    private var removed: Mailbox?
    #if DEBUG
    /// The type of the last context that could not be compared.
    private var lastAlone: ObjectIdentifier?
    #endif

    init() {}

    /// Returns the mailbox of a context; a new one if there is none.
    mutating func mailbox(_ key: MailboxKey, _ route: _Route) -> Mailbox {
        // Another context may have the address of one that was released.
        if let found = candidates(in: key.bucket).first(where: { $0.key == key && !$0.route.isGone }) { return found }
        let mailbox = Mailbox(key, route)
        mailbox.index = all.count
        all.append(mailbox)
        putIntoBucket(mailbox)
        return mailbox
    }

    /// The routes to contexts that are compared as values and have this hash value.
    func routes(withHash hash: Int) -> [_Route] {
        candidates(in: hash).compactMap { $0.key.hash == hash ? $0.route.open : nil }
    }

    /// All mailboxes in that bucket; as long as there are no buckets, all mailboxes.
    private func candidates(in bucket: @autoclosure () -> Int) -> [Mailbox] {
        buckets.isEmpty ? all : buckets[bucket()] ?? []
    }

    private mutating func putIntoBucket(_ mailbox: Mailbox) {
        if !buckets.isEmpty {
            buckets[mailbox.key.bucket, default: []].append(mailbox)
        } else if all.count == 8 {
            buckets = Dictionary(grouping: all, by: \.key.bucket)
        }
    }

    private mutating func takeFromBucket(_ mailbox: Mailbox) {
        guard !buckets.isEmpty else { return }
        let bucket = mailbox.key.bucket
        buckets[bucket]?.removeAll { $0 === mailbox }
        if buckets[bucket]?.isEmpty ?? false { buckets[bucket] = nil }
    }

    /// Removes a mailbox that has no subscribers and no delivery.
    mutating func removeIfIdle(_ mailbox: Mailbox) {
        guard mailbox.count == 0, mailbox.phase == .idle, mailbox.index < all.count, all[mailbox.index] === mailbox
        else { return }
        let last = all.removeLast()
        if last !== mailbox {
            all[mailbox.index] = last
            last.index = mailbox.index
        }
        takeFromBucket(mailbox)
        assert(removed == nil, "each step removes at most one mailbox")
        removed = mailbox
    }

    /// The mailbox that a transition has removed, to be released outside the lock.
    @inline(__always)
    mutating func takeRemoved() -> Mailbox? { removed == nil ? nil : removed.take() }

    #if DEBUG
    /// Whether a context that cannot be compared was added right after another one of its type.
    ///
    /// Call it once for each added context.
    mutating func meetsItsLike(_ key: MailboxKey, _ route: _Route) -> Bool {
        guard key.isAlone, let context = route.context else { return false }
        let type = ObjectIdentifier(type(of: context))
        defer { lastAlone = type }
        return lastAlone == type
    }
    #endif
}
