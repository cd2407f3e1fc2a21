/// What cancels a token that is not canceled by hand.
enum TokenSource: Sendable {
    case parent(TokenChild)
    case timer(Registration)

    /// Sees to it that it cancels the token no more.
    ///
    /// Returns what need not cancel a parent any more, as nothing waits for that.
    func unlink() -> [TokenSource] {
        switch self {
        case .parent(let place): return place.unlink()
        case .timer(let timer):
            timer.cancel()
            return []
        }
    }
}

/// The place of a token in the list of a parent.
///
/// The parent keeps the child, so that handlers run whose token nobody else has kept. A child that is gone and for
/// which nothing waits leaves its parents: that is what breaks the cycle.
final class TokenChild: ListNode, @unchecked Sendable {
    // Sendable: `child` belongs to the one who has taken the place out of the parent's list, or has failed to add it;
    // the list links are guarded by the parent's lock; `parent` is constant.

    private var child: TokenStorage?
    // A variable for compilers before 6.3, which know no weak constant.
    private weak var parent: TokenStorage?

    init(_ child: TokenStorage, of parent: TokenStorage) {
        self.child = child
        self.parent = parent
        super.init()
    }

    /// For the one who owns the place.
    func take() -> TokenStorage? { child.take() }

    func unlink() -> [TokenSource] {
        guard let parent, let sources = parent.withLock({ $0.remove(self) }) else { return [] }
        _ = take()
        return sources
    }
}
