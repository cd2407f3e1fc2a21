/// What emits into a stream for the sake of those who see it.
///
/// Package hook.
package protocol StreamWork: AnyObject, Sendable {
    /// Somebody listens who has not before, or listens no longer, or the stream was dropped.
    ///
    /// It is called by each thread that has changed it, in any order: the stream says how many there are now.
    func listenersHaveChanged()

    /// The stream has ended, or nobody will ever see an element any more.
    ///
    /// It is called once, and may be followed by a call of `listenersHaveChanged` that was under way.
    func stop()
}

extension StreamCore {
    /// The handle is gone: nobody can subscribe any more.
    func letGo() {
        withState { $0.letGo() }
        tellWork()
    }

    /// Lets the stream stop the work behind it: when it has ended, or when nobody will ever see an element of it any
    /// more.
    ///
    /// Package hook.
    package func setWork(_ stop: @escaping @Sendable () -> Void) { setWork(StreamWorkToStop(stop)) }

    /// Lets the stream tell the work behind it who listens, and stop it, once, when it has ended or nobody will ever
    /// see an element of it any more.
    ///
    /// Package hook.
    package func setWork(_ new: any StreamWork) {
        replaceWork(new)
        withState { $0.hasWork = true }
        if end != nil { stopWork() }
        leaveIfUnseen()
    }

    func stopWork() { replaceWork(nil)?.stop() }

    /// Stops what only a subscriber could see: none is left, and none can come.
    private func leaveIfUnseen() {
        let (isUnseen, isDeserted) = withState { ($0.isUnseen, $0.isDeserted) }
        if isUnseen { stopWork() }
        // It ends, so that nothing joins it any more. Its sources may follow, and theirs.
        if isDeserted { Trampoline.submit { self.cancelAsTarget() } }
    }

    /// Whether somebody could still subscribe.
    ///
    /// Package hook.
    package var isHeld: Bool { withState { $0.isHeld } }

    /// Whether an element of this stream is being delivered on this stack, where it was emitted.
    ///
    /// Package hook.
    package var isEmittingHere: Bool { Trampoline.isEmitting(self) }

    /// Somebody has come or gone.
    func tellWork() {
        if withState({ $0.hasWork }) { work?.listenersHaveChanged() }
        leaveIfUnseen()
    }
}

private final class StreamWorkToStop: StreamWork {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func listenersHaveChanged() {}

    func stop() { action() }
}
