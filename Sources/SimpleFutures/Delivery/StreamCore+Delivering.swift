extension StreamCore: DeliverySource {
    func deliver(
        _ mailbox: AnyObject?, _ place: DeliveryPlace, on thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool {
        guard let mailbox = mailbox as? Mailbox else { return true }
        let isStopped =
            if let served = mailbox.started.take() {
                drain(mailbox, after: .init(served, in: mailbox), on: thread)
            } else {
                drain(mailbox, place, pausing: mailbox.kind != .sink, extent(of: mailbox, on: thread))
            }
        guard isStopped else { return true }
        // The callbacks that the last element has caused come first.
        guard !thread.pointee.jobs.isEmpty, withState({ $0.isAtAnotherElement(mailbox) }) else { return false }
        thread.pointee.jobs.append(.deliver(self, mailbox: mailbox, place))
        return true
    }

    func deliverAgain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        guard thread.pointee.mayGoOn, let mailbox = frame.pointee.mailbox as? Mailbox else { return }
        frame.pointee.keepMailbox()
        // It is dispatching to a context that has run a task of the mailbox at once: that task's delivery goes on.
        if mailbox.kind == .custom, frame.pointee.place == .here { return }
        guard withState({ _ in mailbox.resume(frame.pointee.turn) }) else { return }
        // A context of the user's may have run the task inside `execute`: what would go on after a pause runs outside it.
        let pauses = mailbox.kind != .sink && mailbox.kind != .custom
        if drain(mailbox, frame.pointee.place, pausing: pauses, .whileWaiting) {
            withState { $0.giveUp(mailbox) }
        }
    }

    func deliver(_ wake: StreamState.Wake) {
        switch wake {
        case .nothing: break
        case .one(let mailbox): deliver(mailbox)
        case .several(let mailboxes):
            // A callback on this stack may take long, or wait for elements of another mailbox. So the mailboxes that
            // run elsewhere go first, then those of contexts of the user's, most of which run their tasks elsewhere too.
            // `runsHere` is called once per mailbox, because its answer may change.
            let here = mailboxes.map(runsHere)
            for (mailbox, isHere) in zip(mailboxes, here) where !isHere { deliver(mailbox, here: false) }
            Trampoline.together {
                for mailbox in mailboxes where mailbox.kind == .custom { deliver(mailbox, here: true) }
                for (mailbox, isHere) in zip(mailboxes, here) where isHere && mailbox.kind != .custom {
                    deliver(mailbox, here: true)
                }
            }
        }
    }

    /// Whether user code may run on this stack.
    private func runsHere(_ mailbox: Mailbox) -> Bool {
        switch mailbox.kind {
        case .immediate, .custom: true
        case .main: MainQueue.isCurrent && withState { _ in mailbox.isMainImmediate }
        case .sink, .queue: false
        }
    }

    /// Delivers to a mailbox, or dispatches the delivery.
    func deliver(_ mailbox: Mailbox) { deliver(mailbox, here: runsHere(mailbox)) }

    private func deliver(_ mailbox: Mailbox, here: Bool) {
        if here {
            Trampoline.deliver(self, mailbox)
        } else if mailbox.kind == .sink {
            _ = drain(mailbox, .here, pausing: false)
        } else {
            dispatch(mailbox)
        }
    }

    /// Delivers an element that was started under the same lock as it was appended.
    @inline(__always)
    func deliver(_ direct: StreamState.Direct, on thread: UnsafeMutablePointer<ThreadState>) {
        direct.mailbox.use { mailbox in
            if mailbox.kind == .sink {
                _ = drain(mailbox, after: direct, on: thread)
            } else if !thread.pointee.isActive {
                Trampoline.whileActive(thread) { _ = drain(mailbox, after: direct, on: thread) }
            } else {
                mailbox.started = direct.served
                thread.pointee.jobs.append(.deliver(self, mailbox: mailbox, .here))
            }
        }
    }

    /// Delivers what was started, and what has come since.
    ///
    /// Returns the same as the general `drain`.
    private func drain(
        _ mailbox: Mailbox, after direct: StreamState.Direct, on thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool {
        ThreadState.inFrame(self, mailbox, .here, turn: direct.turn, on: thread) { frame in
            var served = direct.served
            served.subscriber.use { subscriber in
                // It may have been removed since it was started, or another subscriber may come first now.
                guard !subscriber.isInterrupted else { return }
                if subscriber.isLive {
                    subscriber.contents.take(StreamEvent(served.slots, count: 1), subscriber.interest)
                }
                served.done = 1
            }
            if served.done == 1, withState({ $0.endDirectly(direct) }) { return false }
            return goOn(mailbox, after: served, frame, on: thread)
        }
    }

    @inline(never)
    private func goOn(
        _ mailbox: Mailbox, after served: StreamState.Served, _ frame: UnsafeMutablePointer<ThreadState.Frame>,
        on thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool {
        frame.pointee.keepMailbox()
        return drain(
            mailbox, .here, after: served, frame, on: thread, pausing: mailbox.kind != .sink,
            extent(of: mailbox, on: thread))
    }

    /// Delivers to a mailbox.
    ///
    /// Only one thread at a time may do this.
    func drain(
        _ mailbox: Mailbox, _ delivery: DeliveryPlace, pausing: Bool, _ extent: Extent = .upToLimit
    ) -> Bool {
        let thread = ThreadState.current
        return ThreadState.inFrame(self, mailbox, delivery, on: thread) { frame in
            drain(mailbox, delivery, after: nil, frame, on: thread, pausing: pausing, extent)
        }
    }

    /// How much a thread delivers.
    enum Extent {
        /// The elements that were there, and some more (promise 6).
        case upToLimit
        /// Until a wait is over (promise 11).
        case whileWaiting
        /// One callback, for a wait further down.
        case oneCallback
    }

    private func extent(of mailbox: Mailbox, on thread: UnsafeMutablePointer<ThreadState>) -> Extent {
        mailbox.kind != .sink && thread.pointee.isWaiting ? .whileWaiting : .upToLimit
    }

    /// Delivers until nothing is left, or others go on.
    ///
    /// Returns whether it has stopped for a wait, and still owns the delivery of what is left.
    private func drain(
        _ mailbox: Mailbox, _ delivery: DeliveryPlace, after served: StreamState.Served?,
        _ frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>, pausing: Bool,
        _ extent: Extent = .upToLimit
    ) -> Bool {
        var previous = served
        // At least one element: two callbacks that wait for each other would otherwise never continue.
        var hasRun = served.map { $0.done > 0 } ?? false
        while true {
            let pauses = pausing && hasRun && !thread.pointee.jobs.isEmpty
            let stops = hasRun && extent != .upToLimit && (extent == .oneCallback || !thread.pointee.mayGoOn)
            // The frame holds the number of the delivery, for a callback that waits.
            let step = withState {
                $0.next(
                    in: mailbox, &frame.pointee.turn, after: &previous, delivery, pauses: pauses,
                    isAgain: extent != .upToLimit, stops: stops, on: thread)
            }
            if let served = previous.take() { release(served) }
            switch step {
            case .done: return false
            case .stopped: return true
            case .pause:
                thread.pointee.jobs.append(.deliver(self, mailbox: mailbox, delivery))
                return false
            case .dispatch:
                goOnLater(mailbox, delivery)
                return false
            case .goOn: break
            case .run(let served): previous = run(served, in: mailbox, pausing ? thread : nil)
            case .end(let subscriber, let signal): end(subscriber.take(), signal)
            }
            hasRun = true
        }
    }

    /// Runs a subscriber's body with its elements, until it is interrupted or has caused callbacks that come first.
    @inline(__always)
    private func run(
        _ served: StreamState.Served, in mailbox: Mailbox, _ thread: UnsafeMutablePointer<ThreadState>?
    ) -> StreamState.Served {
        var served = served
        served.subscriber.use { subscriber in
            // Retained once for all elements. It does not change while the subscriber runs.
            let contents = subscriber.contents
            if mailbox.kind == .sink {
                contents.take(StreamEvent(served.slots, count: served.count), subscriber.interest)
                served.done = served.count
                return
            }
            repeat {
                let event = StreamEvent(served.slots + served.done, count: 1)
                served.done += 1
                if subscriber.isLive { contents.take(event, subscriber.interest) }
            } while served.done < served.count && !subscriber.isInterrupted && thread?.pointee.jobs.isEmpty ?? true
        }
        return served
    }

    /// Releases a subscriber that was removed while its body ran.
    @inline(never)
    private func release(_ served: StreamState.Served) { _ = served.subscriber.take().takeContents() }

    private func end(_ subscriber: Subscriber, _ signal: StreamSignal) {
        let contents = subscriber.takeContents()
        contents.leaveTarget()
        // The token may have been canceled at this moment, before it could find the subscriber.
        if let link = subscriber.link, !link.release() {
            contents.target?.cancelAsTarget()
        } else if subscriber.interest.contains(signal) {
            contents.body?(StreamEvent(end: signal), contents.target)
        } else {
            contents.target?.loseProducer(cancelled: signal == .cancellation)
        }
    }
}
