// Mailboxes whose subscribers run on a context.

extension StreamCore {
    /// Dispatches to the context: at the start, or to let its other tasks run.
    func goOnLater(_ mailbox: Mailbox, _ delivery: DeliveryPlace) {
        // A user's context may run the task before `execute` returns; from here that would recurse.
        if delivery == .onContext, mailbox.kind == .custom {
            Trampoline.deliver(self, mailbox)
        } else {
            dispatch(mailbox)
        }
    }

    func dispatch(_ mailbox: Mailbox) {
        guard let (way, turn) = withState({ $0.dispatch(mailbox) }) else { return abandon(mailbox) }
        let task = MailboxTask(mailbox, of: self, turn)
        // If elements run on the emitting thread, another thread continues.
        let route = way.kind == .immediate ? .elsewhere : way
        Trampoline.dispatch(on: ThreadState.current) { route.execute { task.run() } }
        // A task that has not begun must not keep its context alive.
        if mailbox.kind == .custom { _ = withState { $0.takeRoute(of: mailbox) } }
    }

    /// Runs when the context has begun a mailbox's task.
    fileprivate func run(_ mailbox: Mailbox, _ turn: UInt64) {
        guard withState({ _ in mailbox.claimDispatched(turn) }) else { return }
        let thread = ThreadState.current
        // If the context runs the task inside a delivery, no loop on this thread would continue after a pause.
        guard thread.pointee.isDispatching else {
            return Trampoline.callback { _ = drain(mailbox, .onContext, pausing: true) }
        }
        // And if that delivery is part of a wait, it stops after one callback, so that the wait ends in time
        // (promise 11).
        let extent = thread.pointee.isWaiting ? Extent.oneCallback : .upToLimit
        Trampoline.callback {
            guard drain(mailbox, .onContext, pausing: false, extent) else { return }
            // The rest gets another task, if the mailbox still has its context: at most 64 elements have none, those of
            // a stream that has ended, perhaps during the callback, on a context that is a value.
            if withState({ _ in mailbox.route.isOpen }) {
                Trampoline.deliver(self, mailbox)
            } else {
                _ = drain(mailbox, .onContext, pausing: false)
            }
        }
    }

    /// The context has dropped the task.
    ///
    /// The subscribers must not wait forever.
    fileprivate func abandon(_ mailbox: Mailbox, _ turn: UInt64) {
        if withState({ _ in mailbox.claimDispatched(turn) }) { abandon(mailbox) }
    }

    private func abandon(_ mailbox: Mailbox) {
        // All of them before the callbacks of the first one, which may wait for the others.
        Trampoline.together {
            while let (subscriber, contents) = withState({ $0.abandon(mailbox) }) {
                contents.leaveTarget()
                if let link = subscriber.link, !link.release() {
                    contents.target?.cancelAsTarget()
                } else {
                    contents.target?.emit(error: FuturesError.brokenPromise(createdAt: nil))
                    contents.target?.loseProducer()
                }
                Trampoline.submit { _ = contents }
            }
            tellWork()
        }
    }
}

/// The task of a mailbox, on its way to the context.
private final class MailboxTask: Sendable {
    private let stream: StreamCore
    private let mailbox: Mailbox
    private let turn: UInt64

    init(_ mailbox: Mailbox, of stream: StreamCore, _ turn: UInt64) {
        self.mailbox = mailbox
        self.stream = stream
        self.turn = turn
    }

    /// Runs on the context.
    ///
    /// If the context runs a task twice, the second run does nothing.
    func run() { stream.run(mailbox, turn) }

    deinit { stream.abandon(mailbox, turn) }
}
