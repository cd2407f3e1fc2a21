// The short way of an element that has one subscriber to go to, who runs where elements come: what `next` decides in
// the general case, without asking for it.

extension StreamState {
    /// An element on the short way.
    ///
    /// Its references are not counted. The stream keeps the lane as long as it is delivered, the frame once others may
    /// deliver it, and the subscriber's reference, which was the list's, belongs to whoever delivers.
    struct Direct {
        let served: Served
        let lane: Unmanaged<StreamLane>
        /// The number of the delivery.
        let turn: UInt64
    }

    /// Starts to deliver the element that was just appended; nil if it has to go the general way.
    ///
    /// - Parameter runsCallbacks: Whether code of the user's may run now, and not just a sink.
    @inline(__always)
    func startDirectly(
        runsCallbacks: Bool, on thread: UnsafeRawPointer, _ extraAllowance: UInt64 = StreamLane.extraAllowance
    ) -> Direct? {
        guard let unmanaged = onlyLane else { return nil }
        return unmanaged._withUnsafeGuaranteedRef { lane in
            // Whoever emits has looked before he appended.
            assert(lane.phase == .idle)
            guard lane.kind == .sink || lane.kind == .immediate && runsCallbacks,
                let only = lane.waiting.only, lane.running.isEmpty
            else { return nil }
            return only._withUnsafeGuaranteedRef { subscriber in
                let slot = log.slot(at: &subscriber.position)
                guard subscriber.interest.contains(slot.pointee.signal) else { return nil }
                lane.begin(.active)
                lane.allow(thread, upTo: log.end.index, extraAllowance)
                lane.startOnly(subscriber)
                let served = Served(subscriber: only, slots: slot, count: 1, done: 1)
                return Direct(served: served, lane: unmanaged, turn: lane.turn)
            }
        }
    }

    /// Ends the delivery of that element; false if there is more to do, and the lane is still to be delivered.
    @inline(__always)
    mutating func endDirectly(_ direct: Direct) -> Bool {
        let wasAll = direct.served.subscriber._withUnsafeGuaranteedRef { subscriber in
            direct.lane._withUnsafeGuaranteedRef { lane in
                lane.turn == direct.turn && end == nil && log.isLast(subscriber.position) && lane.waiting.isEmpty
                    && lane.running.only?.toOpaque() == direct.served.subscriber.toOpaque()
            }
        }
        guard wasAll else { return false }
        direct.served.subscriber._withUnsafeGuaranteedRef { subscriber in
            log.catchUp(&subscriber.position)
            direct.lane._withUnsafeGuaranteedRef { lane in
                lane.giveBackOnly(subscriber)
                lane.rest()
            }
        }
        return true
    }
}
