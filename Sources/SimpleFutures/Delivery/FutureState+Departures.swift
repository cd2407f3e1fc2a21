/// The observers that leave the thread that delivers wait in two lists.
///
/// One thread at a time dispatches a list, in the order of registration.
enum Departures {
    /// To a Dispatch queue, or to a waiter.
    case queued
    /// To a context of the user's, which may run its task before `execute` returns.
    case foreign
}

extension FutureState {
    func isBusy(_ departures: Departures) -> Bool { departures == .queued ? queuedIsBusy : foreignIsBusy }

    /// Begins to dispatch a list.
    ///
    /// Returns false when a thread dispatches it already, and will find what was added.
    mutating func begin(_ departures: Departures) -> Bool {
        guard !isBusy(departures) else { return false }
        set(departures, isBusy: true)
        return true
    }

    /// Begins to dispatch what a delivery has left that was stopped because a wait is over.
    ///
    /// Also if only callbacks for this thread are left, moved there by `nextDeparture`: the end of the list begins their
    /// delivery. Returns whether the caller must dispatch the list.
    mutating func beginLeft() -> Bool {
        (!foreign.isEmpty || hasNext && delivery == .idle) && begin(.foreign)
    }

    mutating func end(_ departures: Departures) { set(departures, isBusy: false) }

    private mutating func set(_ departures: Departures, isBusy: Bool) {
        switch departures {
        case .queued: queuedIsBusy = isBusy
        case .foreign: foreignIsBusy = isBusy
        }
    }

    mutating func popFirst(_ departures: Departures) -> Observer? {
        switch departures {
        case .queued: queued.popFirst()
        case .foreign: foreign.popFirst()
        }
    }

    /// A thread's dispatching of a list.
    struct DepartureRun {
        let list: Departures
        /// Whether the list was given up, because a task that a context ran at once has waited.
        var isGivenUp = false
        /// How many more the thread dispatches; nil before the first.
        var allowance: UInt32?
        let extraAllowance: UInt32

        /// - Parameter extraAllowance: How many it takes beside the observers that are there when it begins.
        init(_ list: Departures, _ extraAllowance: UInt32 = FutureState.extraAllowance) {
            self.list = list
            self.extraAllowance = extraAllowance
        }
    }

    enum Departure {
        /// Nothing is left, or another thread dispatches it.
        case none
        /// Another thread dispatches the rest: others add faster than the caller dispatches (promise 6).
        case goOnElsewhere
        /// Nothing is left, and the caller must deliver: some that were to leave need not in this phase, and wait for
        /// this thread now. A caller that stops before this step calls `beginLeft`.
        case deliver
        case wake(Observer)
        case dispatch(Observer, _Route)
    }

    /// The next one to dispatch.
    ///
    /// - Parameters:
    ///   - run: The state of the caller's run. If it has given the list up, it begins again unless another thread has
    ///     begun since.
    ///   - thread: The current thread.
    ///   - hasAllowance: Whether the caller ends after an allowance, as a callback that waits does not.
    mutating func nextDeparture(
        _ run: inout DepartureRun, on thread: UnsafeRawPointer, hasAllowance: Bool
    ) -> Departure {
        if run.isGivenUp {
            guard begin(run.list) else { return .none }
            run.isGivenUp = false
        }
        var allowance = run.allowance ?? count &+ run.extraAllowance
        defer { run.allowance = allowance }
        while allowance > 0 || !hasAllowance || isEmpty(run.list) {
            guard let observer = popFirst(run.list) else {
                end(run.list)
                return hasNext && beginAtRest(on: thread) ? .deliver : .none
            }
            allowance -= min(allowance, 1)
            if observer.kind == .waker {
                count -= 1
                observer.place = .done
                return .wake(observer)
            }
            guard staysAfterAll(observer, on: thread) else {
                return .dispatch(observer, putIntoDispatched(observer))
            }
            put(observer, .waiting)
        }
        return .goOnElsewhere
    }

    private func isEmpty(_ departures: Departures) -> Bool { departures == .queued ? queued.isEmpty : foreign.isEmpty }

    private func staysAfterAll(_ observer: Observer, on thread: UnsafeRawPointer) -> Bool {
        guard observer.kind.usesContext(phase) else { return true }
        return observer.route.leadsToMain && (mainHere > 0 || isHere(observer.route, on: thread))
    }
}
