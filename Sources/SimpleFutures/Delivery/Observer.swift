/// The code of an observer.
///
/// `source` is the settled future; `target` is the future that the observer settles.
@usableFromInline
package typealias ObserverBody = @Sendable (_ source: AnyFuture, _ target: AnyFuture?) -> Void

/// A registration on a future, in the compact form in which a future stores its first one.
struct Callback: ~Copyable {
    // In this order the fields take five words.
    let route: _Route
    let kind: ObserverKind
    /// The index of this input in a combined future.
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

    /// For a combined future, which the route's object refers to.
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

    /// The wait for many inputs, if the kind says that there is one.
    var inputs: Inputs { route.inputs }
}

/// A registration on a future, in the form that can be removed, belong to a token or be dispatched to a context.
///
/// Access to `target` and `body` is decided by a claim, once: by the token's list if there is a token, otherwise by the
/// future's list. The thread that removes the observer from that list owns them, and no other thread reads them.
package class Observer: ListNode, @unchecked Sendable {
    // Sendable:
    // 1. `kind`, `index` and `link` never change after the observer has been shared.
    // 2. The list links, `route` and `place` are guarded by the lock of the future that holds the observer.
    // 3. `target` and `body` belong to the thread that has claimed the observer.

    final let kind: ObserverKind
    /// Same as in `Callback`.
    fileprivate final let index: UInt32
    /// Emptied when the observer is dispatched.
    final var route: _Route
    /// The observer's entry in a token's list.
    final var link: ObserverLink?
    private final var target: AnyFuture?
    private final var body: ObserverBody?
    /// The list that the observer is in, as tracked by its future.
    final var place = Place.outside

    enum Place: UInt8 {
        case outside
        /// In the list of observers that run on the delivering thread.
        case waiting
        /// In the list of observers that go to a Dispatch queue.
        case queued
        /// In the list of observers that go to the user's own context.
        case foreign
        /// In the list of observers whose task waits in their context.
        case dispatched
        /// Run or removed. An observer removed before it was added is never added.
        case done
    }

    init(_ callback: consuming Callback) {
        kind = callback.kind
        index = callback.index
        route = callback.route
        target = callback.target
        body = callback.body
    }

    /// Creates an observer without a body.
    init(_ kind: ObserverKind) {
        self.kind = kind
        index = 0
        route = .immediate
    }

    /// Takes the callback to run, once.
    ///
    /// Only the thread that has claimed the observer may call this.
    final func take() -> Callback? {
        guard let body = body.take() else { return nil }
        return Callback(self, target: target.take(), body: body)
    }

    /// The future that the observer settles.
    ///
    /// Read under the lock of the observed future; nil if the observer has a token.
    final var unlinkedTarget: AnyFuture? { link == nil ? target ?? weakTarget : nil }

    /// The future that the observer settles, if it has a token and is not claimed yet.
    ///
    /// Must not be called under the lock of the observed future.
    final var linkedTarget: AnyFuture? {
        link.flatMap { link in link.token.whileLive(link) { target ?? weakTarget } }
    }

    /// The future that the observer settles and does not keep alive.
    var weakTarget: AnyFuture? { nil }

    /// Resumes the waiter, if the observer is one.
    ///
    /// Only the thread that has removed it may call this.
    func wake() {}

    /// Cancels the dependent future.
    ///
    /// Only the thread that has claimed the observer may call this.
    fileprivate final func cancelTarget() { (target.take() ?? weakTarget)?.cancelAsTarget() }

    /// Decides between delivery and cancellation.
    ///
    /// Returns true if the caller may run the callback.
    final func claim() -> Bool {
        guard let link else { return true }
        guard link.token.claim(link) else { return false }
        link.observer = nil
        return true
    }
}

/// The entry of a future's observer in a token's list.
final class ObserverLink: TokenLink, @unchecked Sendable {
    // Sendable like its superclass; `observer` belongs to the thread that has removed the link from the token's list,
    // or has failed to add it.

    /// The observer.
    ///
    /// Clearing it, once the link is claimed or canceled, breaks the retain cycle.
    fileprivate var observer: Observer?
    // A variable, because compilers before 6.3 do not support weak constants.
    private weak var owner: AnyFuture?

    init(_ observer: Observer, of owner: AnyFuture, under token: CancelToken) {
        self.observer = observer
        self.owner = owner
        super.init(of: owner, under: token)
    }

    override func belongs(to owner: AnyObject) -> Bool { self.owner === owner }

    override func leave() { if let observer { owner?.forget(observer) } }

    override func cancelTarget() {
        guard let observer = observer.take() else { return }
        observer.cancelTarget()
        // Releasing its captures may unsubscribe another observer, and so on.
        Trampoline.submit { _ = observer.take() }
    }
}

/// A dispatched observer, on its way to the context.
final class CallbackTask: Sendable {
    private let source: AnyFuture
    private let observer: Observer

    init(_ observer: Observer, of source: AnyFuture) {
        self.observer = observer
        self.source = source
    }

    /// Runs on the context.
    ///
    /// If the context runs a task twice, the second run does nothing.
    func run() {
        guard source.claimDispatched(observer), observer.claim(), let callback = observer.take() else { return }
        Trampoline.callback { callback.body(source, callback.target) }
    }

    deinit {
        // The context dropped the task: without this, dependents would wait forever.
        guard source.claimDispatched(observer), observer.claim(), let callback = observer.take() else { return }
        callback.target?.loseProducer()
        // Its captures are released last: a released context may have more tasks, whose targets fail first.
        let body = callback.body
        Trampoline.submit { _ = body }
    }
}
