/// A handler of `onCancel`, in its token's list.
///
/// It holds no reference to its token, so that a token that is released takes its handlers with it.
final class TokenHandler: ListNode, @unchecked Sendable {
    // Sendable: `body` belongs to the thread that has removed the handler from the token's list, or to the thread that
    // created it if the token was already canceled. The list links are guarded by the token's lock.

    private var body: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        super.init()
    }

    /// Releases the closure, even if a caller still holds the registration.
    func forget() { body = nil }

    func run() {
        if let body = body.take() { body() }
    }
}
