/// A parent token or a timer that cancels a token.
enum TokenSource: Sendable {
    case parent(TokenChild)
    case timer(Registration)

    /// Stops the source from canceling the token.
    ///
    /// Returns the parent's own sources if nothing waits for the parent any more.
    func unlink() -> [TokenSource] {
        switch self {
        case .parent(let place): return place.unlink()
        case .timer(let timer):
            Trampoline.afterUnsubscribing { timer.cancel() }
            return []
        }
    }
}

/// The entry of a child token in the list of a parent.
///
/// The parent holds the child, so that its handlers run even if no caller has kept the child. A released child with
/// nothing waiting for it removes itself from its parents, which breaks the retain cycle.
final class TokenChild: ListNode, @unchecked Sendable {
    // Sendable: `child` belongs to the thread that has removed the entry from the parent's list, or has failed to add
    // it; the list links are guarded by the parent's lock; `parent` is constant.

    private var child: TokenStorage?
    // A variable, because compilers before 6.3 do not support weak constants.
    private weak var parent: TokenStorage?

    init(_ child: TokenStorage, of parent: TokenStorage) {
        self.child = child
        self.parent = parent
        super.init()
    }

    /// Returns the child and clears the reference.
    ///
    /// Only the owner of the entry may call this.
    func take() -> TokenStorage? { child.take() }

    func unlink() -> [TokenSource] {
        guard let parent, let sources = parent.withLock({ $0.remove(self) }) else { return [] }
        _ = take()
        return sources
    }
}
