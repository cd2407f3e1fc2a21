/// Something that is registered under a token.
///
/// Whoever takes it out of the token's list decides what becomes of it.
class TokenEntry: ListNode {
    let token: CancelToken

    init(token: CancelToken) { self.token = token }
}

/// A handler of `onCancel`.
final class TokenHandler: TokenEntry, @unchecked Sendable {
    // Sendable: `body` belongs to the one who has taken the handler out of the token's list, or, if the token was
    // cancelled before, to the one who has made it. The list links are guarded by the token's lock.

    private var body: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable () -> Void, token: CancelToken) {
        self.body = body
        super.init(token: token)
    }

    func run() {
        if let body = body.take() { Trampoline.submit(body) }
    }
}
