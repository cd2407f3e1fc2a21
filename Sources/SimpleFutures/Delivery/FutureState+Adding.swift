extension FutureState {
    enum Addition {
        case waiting
        /// Waiting, and the future has a worker: its priority may depend on the waiters.
        case waitingForWork
        /// The future is settled, and no thread delivers; the caller must.
        case deliver
        /// The same, to queues or to contexts of the user's.
        case dispatch(Departures)
        /// The observer was removed before it was added, or the future was not to be settled: it was not added.
        case refused
    }

    /// Adds a callback that cannot be removed.
    ///
    /// Returns nil if it must be added as an observer instead.
    ///
    /// - Parameter thread: The current thread; nil if the future was pending before this call.
    mutating func add(_ callback: inout Callback?, on thread: UnsafeRawPointer?) -> Addition? {
        guard count == 0 else { return addInPlaceOfLeftover(&callback) }
        guard let new = callback.take() else { return nil }
        guard phase == .pending || !leaves(new.kind, new.route, on: thread) else {
            callback = consume new
            return nil
        }
        if phase != .pending, new.route.leadsToMain, new.kind.usesContext(phase) { mainHere += 1 }
        first = consume new
        count = 1
        guard phase == .pending else { return deliverOrWait(on: thread) }
        return hasWorker ? .waitingForWork : .waiting
    }

    /// Replaces the only callback if it is stale.
    ///
    /// The stale callback is returned in `callback`, to be released.
    @inline(never)
    private mutating func addInPlaceOfLeftover(_ callback: inout Callback?) -> Addition? {
        guard count == 1, phase == .pending, first.isOver, let new = callback.take() else { return nil }
        callback = first.take()
        first = consume new
        return hasWorker ? .waitingForWork : .waiting
    }

    /// Adds an observer.
    ///
    /// - Parameter thread: The current thread; nil if the future was pending before this call.
    mutating func add(
        _ observer: Observer, ifPending: Bool = false, on thread: UnsafeRawPointer? = nil
    ) -> Addition {
        guard observer.place == .outside, phase == .pending || !ifPending else { return .refused }
        count += 1
        if observer.kind.isOfMany, leftoverLimit == 0 { leftoverLimit = 3 }
        let place = place(for: observer, on: thread)
        put(observer, place)
        guard phase != .pending else { return hasWorker ? .waitingForWork : .waiting }
        switch place {
        case .queued: return begin(.queued) ? .dispatch(.queued) : .waiting
        case .foreign: return begin(.foreign) ? .dispatch(.foreign) : .waiting
        default: return deliverOrWait(on: thread)
        }
    }

    private func place(for observer: Observer, on thread: UnsafeRawPointer?) -> Observer.Place {
        if observer.kind == .waker { return .queued }
        guard observer.route.kind != .immediate else { return .waiting }
        guard phase == .pending || leaves(observer.kind, observer.route, on: thread) else { return .waiting }
        return observer.route.kind == .custom ? .foreign : .queued
    }

    mutating func put(_ observer: Observer, _ place: Observer.Place) {
        observer.place = place
        switch place {
        case .queued: queued.append(observer)
        case .foreign: foreign.append(observer)
        default:
            waiting.append(observer)
            if phase != .pending, observer.route.leadsToMain, observer.kind.usesContext(phase) { mainHere += 1 }
        }
    }
}
