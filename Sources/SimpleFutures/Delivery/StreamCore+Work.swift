/// Work that emits into a stream and depends on its subscribers.
///
/// Package hook.
package protocol StreamWork: AnyObject, Sendable {
    /// Called when a subscriber was added or removed, or the stream was released.
    ///
    /// Each thread that has made a change calls it, in any order. Read the current number from the stream. It runs no
    /// code of the user's itself: see ``StreamCore/afterUnsubscribing(runsElsewhere:_:)``.
    func listenersHaveChanged()

    /// Called when the stream has ended or is unseen (`StreamState.isUnseen`).
    ///
    /// Called once. A concurrent call of `listenersHaveChanged` may still follow.
    func stop()
}

extension StreamCore {
    /// Called when the handle is released: no more subscriptions are possible.
    func letGo() {
        withState { $0.letGo() }
        // Its work may end, and hold the last handle of another stream with work.
        Trampoline.destroy { self.tellWork() }
    }

    /// Sets the work behind the stream.
    ///
    /// It is told about subscribers, and stopped once, when the stream has ended or is unseen.
    /// Package hook.
    package func setWork(_ new: any StreamWork) {
        // Returned out of the lock, and released there.
        _ = withState { state in
            defer { state.work = new }
            return state.work
        }
        if end != nil { stopWork() }
        leaveIfUnseen()
    }

    /// Adds, as a source, a stream whose elements a task passes on to this one.
    ///
    /// - Parameters:
    ///   - relay: The stream. When this one leaves its sources early, the relay leaves its own.
    ///   - cut: Called when this stream has ended. It also ends when it has lost its last subscriber and its handle is
    ///     released (promise 8).
    ///
    /// Package hook.
    package func add(relay: StreamCore, cut: @escaping @Sendable () -> Void) {
        let source = RelaySource(relay, cut)
        if !add(source) { source.cut() }
    }

    func stopWork() {
        guard let work = withState({ $0.work.take() }) else { return }
        // It may hold the last reference to another stream with work. This one lives until it has stopped.
        Trampoline.afterUnsubscribing { Trampoline.destroy { withExtendedLifetime(self) { work.stop() } } }
    }

    /// Lets a token cancel a stream whose source is not a stream, as it cancels a derived stream: at once, before the
    /// token's handlers run.
    ///
    /// Package hook.
    package func follow(_ token: CancelToken) {
        guard !token.isNone else { return }
        let link = CoreLink(of: self, under: token)
        guard token.add(link) else { return cancelAsTarget() }
        if !add(CoreLinkSource(link)) { _ = token.claim(link) }
    }

    /// Stops the work of a stream that has no subscribers and cannot get any.
    private func leaveIfUnseen() {
        let (isUnseen, isDeserted) = withState { ($0.isUnseen, $0.isDeserted) }
        if isUnseen { stopWork() }
        // The stream ends, so that nothing can join it any more. Its sources may end for the same reason.
        if isDeserted { Trampoline.submit { self.cancelAsTarget() } }
    }

    /// Whether subscriptions are still possible.
    ///
    /// Package hook.
    package var isHeld: Bool { withState { $0.isHeld } }

    /// Whether the source of this stream emits an element on this stack, or jobs that the emission has deferred may run.
    ///
    /// Package hook.
    package var isEmittingHere: Bool {
        let (thread, stream) = (ThreadState.current, ObjectIdentifier(self))
        return thread.pointee.emitting.contains(stream) || thread.pointee.emitted.contains(stream)
    }

    /// Runs an emission of the source, and lets ``isEmittingHere`` know.
    func whileEmitting<Result>(_ body: () -> Result) -> Result {
        let (thread, stream) = (ThreadState.current, ObjectIdentifier(self))
        thread.pointee.emitting.append(stream)
        defer {
            thread.pointee.emitting.removeLast()
            // Inside a callback the element is delivered when that returns.
            if thread.pointee.isActive { Trampoline.remember(emissionOf: stream, on: thread) }
        }
        return body()
    }

    /// Tells the work that a subscriber was added or removed.
    func tellWork() {
        guard let work = withState({ $0.work }) else { return leaveIfUnseen() }
        // At once: the same token may cancel a future, and a task that waits for that may subscribe to this stream before
        // everything is unsubscribed.
        work.listenersHaveChanged()
        Trampoline.afterUnsubscribing { [self] in withExtendedLifetime(work) { leaveIfUnseen() } }
    }

    /// Whether a start or a stop of a source must wait until everything is unsubscribed.
    ///
    /// - Parameter runsElsewhere: Whether a queue runs it.
    ///
    /// Package hook.
    package static func isUnsubscribing(runsElsewhere: Bool) -> Bool {
        Trampoline.isUnsubscribing(runsElsewhere: runsElsewhere)
    }

    /// Runs an action that starts or stops a source when everything is unsubscribed.
    ///
    /// Package hook.
    package static func afterUnsubscribing(runsElsewhere: Bool, _ action: @escaping () -> Void) {
        Trampoline.afterUnsubscribing(runsElsewhere: runsElsewhere, action)
    }
}

/// The entry in a token's list of a stream whose source is not a stream.
private final class CoreLink: TokenLink, @unchecked Sendable {
    // Sendable like its superclass; the reference is never reassigned.

    private weak var core: StreamCore?

    init(of core: StreamCore, under token: CancelToken) {
        self.core = core
        super.init(of: core, under: token)
    }

    override func leaveSources() { if let core { StreamCore.leave(core.allSources) } }

    override func cancelTarget() { core?.cancelAsTarget() }
}

/// Removes the entry when the stream has ended.
private final class CoreLinkSource: StreamSource, @unchecked Sendable {
    // Sendable like its superclass; constant.

    private let link: CoreLink

    init(_ link: CoreLink) {
        self.link = link
        super.init()
    }

    override func cut() { _ = link.token.claim(link) }
}

/// A stream whose elements a task passes on, in the list of sources of the stream that gets them.
private final class RelaySource: StreamSource, @unchecked Sendable {
    // Sendable like its superclass; constant.

    private let relay: StreamCore
    private let action: @Sendable () -> Void

    init(_ relay: StreamCore, _ action: @escaping @Sendable () -> Void) {
        self.relay = relay
        self.action = action
        super.init()
    }

    override func cut() { action() }

    override func leaveEarly() -> [StreamSource] { relay.allSources }
}
