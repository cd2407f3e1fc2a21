/// The code of an observer.
///
/// `source` is the future that is settled; `target` is the future that the observer settles.
@usableFromInline
package typealias ObserverBody = @Sendable (_ source: AnyFuture, _ target: AnyFuture?) -> Void

/// Something that waits for a future, in the compact form in which a future holds its first one.
struct Callback: ~Copyable {
    // In this order it takes five words.
    let route: _Route
    let kind: ObserverKind
    /// Which one it is of many inputs.
    let index: UInt32
    var target: AnyFuture?
    var body: ObserverBody

    init(
        route: consuming _Route, kind: ObserverKind, target: consuming AnyFuture?,
        body: consuming @escaping ObserverBody
    ) {
        self.route = route
        self.kind = kind
        index = 0
        self.target = target
        self.body = body
    }

    /// For one who waits for many futures, whom the route leads to.
    init(_ kind: ObserverKind, input index: Int, of inputs: Inputs) {
        route = _Route(.immediate, inputs)
        self.kind = kind
        self.index = UInt32(index)
        target = nil
        body = { _, _ in }
    }

    fileprivate init(_ observer: Observer, target: consuming AnyFuture?, body: consuming @escaping ObserverBody) {
        route = observer.route
        kind = observer.kind
        index = observer.index
        self.target = target
        self.body = body
    }

    /// Who waits for many futures, if the kind says so.
    var inputs: Inputs { unsafeDowncast(route.object.unsafelyUnwrapped, to: Inputs.self) }
}

/// Something that waits for a future, in the form that can be removed, belong to a token, or be handed to a context.
///
/// Who may touch target and body is settled by a claim, once: the list of the token decides if there is one, the list
/// of the future if not. Whoever takes the observer out of that list owns them; nobody else reads them.
package class Observer: ListNode, @unchecked Sendable {
    // Sendable:
    // 1. `kind`, `index` and `link` never change after the observer has been shared.
    // 2. The list links, `route` and `place` are guarded by the lock of the future that holds the observer.
    // 3. `target` and `body` belong to the one who has claimed the observer.

    final let kind: ObserverKind
    /// As in the callback.
    fileprivate final let index: UInt32
    /// Emptied when the observer is handed over.
    final var route: _Route
    /// The observer's place in a token's list.
    final var link: ObserverLink?
    private final var target: AnyFuture?
    private final var body: ObserverBody?
    /// Where it is, for the future that holds it.
    final var place = Place.outside

    enum Place: UInt8 {
        case outside
        /// In the list of those that run on the thread that delivers.
        case waiting
        /// In the list of those that go to a Dispatch queue.
        case queued
        /// In the list of those that go to a context of the user's.
        case foreign
        /// In the list of those whose context has a task for them that has not begun.
        case handedOver
        /// Delivered to, or removed: also before it was added, and then it never will be.
        case done
    }

    init(_ callback: consuming Callback) {
        kind = callback.kind
        index = callback.index
        route = callback.route
        target = callback.target
        body = callback.body
    }

    /// One without a body.
    init(_ kind: ObserverKind) {
        self.kind = kind
        index = 0
        route = .immediate
    }

    /// Takes what there is to run, once.
    ///
    /// For the one who has claimed the observer.
    final func take() -> Callback? {
        guard let body = body.take() else { return nil }
        return Callback(self, target: target.take(), body: body)
    }

    /// What it settles, for one who tells of it under the lock of its future, in whose list it is; nil if a token
    /// decides who may know.
    final var unlinkedTarget: AnyFuture? { link == nil ? target ?? weakTarget : nil }

    /// What it settles if it has not been claimed, for one who tells of it and who is told by the token.
    ///
    /// To be asked outside of the lock of its future.
    final var linkedTarget: AnyFuture? {
        link.flatMap { link in link.token.whileLive(link) { target ?? weakTarget } }
    }

    /// What it settles and does not keep alive.
    var weakTarget: AnyFuture? { nil }

    /// Ends what depended on it, for the one who has claimed the observer.
    fileprivate final func cancelTarget() { (target.take() ?? weakTarget)?.cancelAsTarget() }

    /// Decides between delivery and cancellation: true means that the caller may run it.
    final func claim() -> Bool {
        guard let link else { return true }
        guard link.token.claim(link) else { return false }
        link.observer = nil
        return true
    }
}

/// The place of a future's observer in a token's list.
final class ObserverLink: TokenLink, @unchecked Sendable {
    // Sendable as its superclass is; `observer` belongs to the one who has taken the link out of the token's list, or
    // has failed to add it.

    /// The observer; to let it go when the link is decided breaks the cycle between the two.
    fileprivate var observer: Observer?
    // A variable for compilers before 6.3, which know no weak constant.
    private weak var owner: AnyFuture?

    init(_ observer: Observer, of owner: AnyFuture, under token: CancelToken) {
        self.observer = observer
        self.owner = owner
        super.init(of: owner, under: token)
    }

    override func belongs(to owner: AnyObject) -> Bool { self.owner === owner }

    /// Detaches the observer: its future forgets it, and what depended on it is canceled.
    override func detach() {
        guard let observer = observer.take() else { return }
        owner?.forget(observer)
        observer.cancelTarget()
        Trampoline.release(observer)
    }
}

/// A settled future's observer on its way to the context.
final class HandOver: Sendable {
    private let source: AnyFuture
    private let observer: Observer

    init(_ observer: Observer, of source: AnyFuture) {
        self.observer = observer
        self.source = source
    }

    /// Runs on the context.
    ///
    /// A context that runs a task twice finds nothing left the second time.
    func arrive() {
        guard source.arrive(observer), observer.claim(), let callback = observer.take() else { return }
        Trampoline.callback { callback.body(source, callback.target) }
    }

    deinit {
        // A context that drops its tasks must leave nobody waiting forever.
        guard source.arrive(observer), observer.claim(), let callback = observer.take() else { return }
        callback.target?.loseProducer()
    }
}
