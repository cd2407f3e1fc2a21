/// The place that something registered on a future or a stream has in a token's list.
///
/// It holds the token, and the token holds it, until the work ends that it belongs to: nobody else may hold the token.
class TokenLink: ListNode, @unchecked Sendable {
    // Sendable: token and owner are constant; the list links are guarded by the token's lock.

    final let token: CancelToken
    final let ownerID: ObjectIdentifier

    init(of owner: AnyObject, under token: CancelToken) {
        self.token = token
        ownerID = ObjectIdentifier(owner)
        super.init()
    }

    /// Whether that is what it was registered on.
    func belongs(to owner: AnyObject) -> Bool { false }

    /// Detaches what was registered, for the one who has taken the link out of the token's list, or has failed to add
    /// it.
    func detach() {}
}
