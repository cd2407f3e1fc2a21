/// The entry of one registration (on a future or a stream) in its token's list.
///
/// The link and its token hold each other until the registration ends. That keeps the token alive while it is in use,
/// even if no caller holds it.
class TokenLink: ListNode, @unchecked Sendable {
    // Sendable: token and owner are constant; the list links are guarded by the token's lock.

    final let token: CancelToken
    final let ownerID: ObjectIdentifier

    init(of owner: AnyObject, under token: CancelToken) {
        self.token = token
        ownerID = ObjectIdentifier(owner)
        super.init()
    }

    /// Whether the link was registered on this owner.
    func belongs(to owner: AnyObject) -> Bool { false }

    /// Unsubscribes the registrations, and cancels the futures and streams that depend on them.
    ///
    /// All of them unsubscribe before the first of those is canceled: a task or a queue that waits for it goes on at once,
    /// and may subscribe again to a stream whose source must then begin a new run.
    ///
    /// Only the thread that removed the links from the token's list, or failed to add them, may call this.
    ///
    /// - Parameter links: Calls its argument with each link. It is called for each step.
    static func detach(_ links: (_ step: (TokenLink) -> Void) -> Void) {
        Trampoline.unsubscribe {
            links { $0.leave() }
            links { $0.leaveSources() }
            links { $0.cancelTarget() }
        }
    }

    /// Unsubscribes the registration.
    func leave() {}

    /// Lets derived streams that were left by this registration alone, and that no caller holds, leave their sources.
    func leaveSources() {}

    /// Cancels what depends on the registration, and releases its closure.
    func cancelTarget() {}
}
