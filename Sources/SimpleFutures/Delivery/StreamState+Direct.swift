// A fast path for an element with a single subscriber that runs on the emitting thread, now or in its turn. It makes the
// same decisions as `next`, without the general search.

extension StreamState {
    /// An element on the fast path.
    ///
    /// Its references are not counted. During the delivery the stream holds the mailbox, or the frame does once other
    /// threads may deliver it. The list's reference to the subscriber belongs to the delivering thread.
    struct Direct {
        let served: Served
        let mailbox: Unretained<Mailbox>
        /// The number of the delivery.
        let turn: UInt64

        init(_ served: Served, in mailbox: Mailbox) {
            self.served = served
            self.mailbox = Unretained(mailbox)
            turn = mailbox.turn
        }
    }

    /// Starts to deliver the element that was just appended.
    ///
    /// Returns nil if the fast path does not apply.
    @inline(__always)
    func startDirectly(on thread: UnsafeRawPointer, _ extraAllowance: UInt64 = Mailbox.extraAllowance) -> Direct? {
        guard let unretained = mailboxes.only else { return nil }
        return unretained.use { mailbox in
            guard mailbox.phase == .idle, mailbox.kind == .sink || mailbox.kind == .immediate,
                let only = mailbox.waiting.only, mailbox.running.isEmpty
            else { return nil }
            return only.use { subscriber in
                let slot = log.slot(at: &subscriber.position)
                guard subscriber.interest.contains(slot.pointee.signal) else { return nil }
                mailbox.begin(.active)
                mailbox.allow(thread, upTo: log.end.index, extraAllowance)
                mailbox.startOnly(subscriber)
                return Direct(Served(subscriber: only, slots: slot, count: 1), in: mailbox)
            }
        }
    }

    /// Ends the delivery of that element.
    ///
    /// Returns false if there is more to deliver.
    @inline(__always)
    mutating func endDirectly(_ direct: Direct) -> Bool {
        let wasAll = direct.served.subscriber.use { subscriber in
            direct.mailbox.use { mailbox in
                mailbox.turn == direct.turn && end == nil && log.isLast(subscriber.position) && mailbox.waiting.isEmpty
                    && mailbox.running.only == direct.served.subscriber && subscriber.place == .running
            }
        }
        guard wasAll else { return false }
        direct.served.subscriber.use { subscriber in
            log.catchUp(&subscriber.position)
            direct.mailbox.use { mailbox in
                mailbox.giveBackOnly(subscriber)
                mailbox.rest()
            }
        }
        return true
    }
}
