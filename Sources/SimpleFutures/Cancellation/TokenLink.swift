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

    /// Unsubscribes the registration.
    ///
    /// Only the thread that removed the link from the token's list, or failed to add it, may call this.
    func detach() {}
}
