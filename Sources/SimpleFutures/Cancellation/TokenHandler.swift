/// A handler of `onCancel`, in its token's list.
///
/// It does not know its token, since a token that is dropped must take its handlers with it.
final class TokenHandler: ListNode, @unchecked Sendable {
    // Sendable: `body` belongs to the one who has taken the handler out of the token's list, or, if the token was
    // canceled before, to the one who has made it. The list links are guarded by the token's lock.

    private var body: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        super.init()
    }

    /// Releases what the handler holds, even if somebody keeps its registration.
    func forget() { body = nil }

    func run() {
        if let body = body.take() { body() }
    }
}
